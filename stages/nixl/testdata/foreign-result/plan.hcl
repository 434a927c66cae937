host "h1" {}
stage "nixl" "kv" {
  venv = "/opt/n"
}
