host "h1" {}
stage "driver" "gpu" {
  branch          = "580"
  source          = "distribution"
}
