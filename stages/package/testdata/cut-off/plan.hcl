host "gpu1" {
  address = "10.0.0.11"
}

stage "package" "base" {
  packages = { jq = "*", tree = "2.1.0-1" }
  absent   = ["snapd"]
}
