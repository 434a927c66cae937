host "h1" {}
stage "driver" "gpu" {
  version         = "580.159.04"
  modules         = "proprietary"
  adopt           = true
  gpus            = 1
}
