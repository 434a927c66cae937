host "gpu1" {
  address = "10.0.0.11"
}

stage "package" "base" {
  hold = true
}
