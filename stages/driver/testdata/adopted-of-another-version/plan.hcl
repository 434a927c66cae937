host "h1" {}
stage "driver" "gpu" {
  version         = "580.95.05"
  adopt           = true
}
