host "gpu1" {
  address = "10.0.0.11"
}

stage "package" "base" {
  packages = { jq = "1.6-2.1+deb12u1", tree = "2.0.4-1" }
  hold     = true
}
