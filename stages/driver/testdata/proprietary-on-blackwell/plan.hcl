host "h1" {}
stage "driver" "gpu" {
  repository      = "http://10.77.0.1:3128/compute/cuda/repos/debian12/x86_64"
  key_fingerprint = "D20B49C07C37CC69766E819E75BA66D1AC016AED"
  version         = "580.95.05"
  modules         = "proprietary"
}
