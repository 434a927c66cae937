# A GPU host: the driver with its reboot, and the CUDA toolkit that is built with.
# On practice hosts (pdlab up --profile rtxpro6000x8) give the variables that
# `pdlab repository` prints: --var repository=URL --var key_fingerprint=FINGERPRINT.

variable "repository" {
  type    = string
  default = null # NVIDIA's own for the host's system
}

variable "key_fingerprint" {
  type    = string
  default = null # of NVIDIA's key
}

host "h1" {}

stage "driver" "gpu" {
  branch          = "580"
  gpus            = 8
  repository      = var.repository
  key_fingerprint = var.key_fingerprint
}

stage "cuda" "toolkit" {
  versions        = ["13.0"]
  packages        = "compiler"
  driver          = stage.driver.gpu
  repository      = var.repository
  key_fingerprint = var.key_fingerprint
}
