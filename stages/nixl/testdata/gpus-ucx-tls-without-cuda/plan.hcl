host "h1" {}
stage "nixl" "kv" {
  venv = "/opt/n"
  env = { UCX_TLS = "sm,tcp,self" }
}
