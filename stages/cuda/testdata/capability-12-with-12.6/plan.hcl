host "h1" {}
stage "cuda" "toolkit" {
  versions        = ["12.6"]
  repository      = "http://10.77.0.1:3128/compute/cuda/repos/debian12/x86_64"
  key_fingerprint = "A2C5E79579D82717E3037494A37465E233B58BE4"
}
