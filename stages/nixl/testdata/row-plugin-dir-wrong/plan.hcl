host "h1" {}
stage "nixl" "kv" {
  venv = "/opt/n"
  env = { NIXL_PLUGIN_DIR = "/nonexistent" }
}
