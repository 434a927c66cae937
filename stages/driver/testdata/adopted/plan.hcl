host "h1" {}
stage "driver" "gpu" {
  repository      = "http://10.77.0.1:3128/compute/cuda/repos/debian12/x86_64"
  key_fingerprint = "B35C8C0575DA88703C0D5C70A765585FEC8644B1"
  version         = "580.159.04"
  adopt           = true
  gpus            = 1
}
