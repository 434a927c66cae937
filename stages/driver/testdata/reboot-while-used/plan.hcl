host "h1" {}
stage "driver" "gpu" {
  repository      = "http://10.77.0.1:3128/compute/cuda/repos/debian12/x86_64"
  key_fingerprint = "CD0E6EF1C13AAC3E46C602DB3902CAA452DD10E9"
  version         = "580.126.09"
}
