host "h1" {}
stage "driver" "gpu" {
  branch          = "580"
  pin             = "package"
}
