host "gpu1" {
  address = "10.0.0.11"
}

stage "command" "x" {
  check         = " "
  apply         = ""
  dir           = "tmp"
  timeout       = "10"
  check_timeout = "-1s"
  env = {
    "A B"         = "1"
    "1A"          = "1"
    "PDPROV_FILES" = "1"
    "OK_1"        = "1"
  }
}
