host "a" {}

locals {
  nul = jsondecode("\"a\\u0000b\"")
}
stage "file" "x" {
  path = local.nul
}
stage "venv" "x" {
  words = ["a", local.nul]
}
stage "venv" "y" {
  env = { a = local.nul }
}
stage "venv" "z" {
  env = { (local.nul) = "a" }
}
