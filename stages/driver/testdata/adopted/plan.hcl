host "h1" {}
stage "driver" "gpu" {
  version         = "580.159.04"
  adopt           = true
  gpus            = 1
  pin             = "package"
  headers         = true
}
