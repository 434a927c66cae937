host "h1" {}
stage "nixl" "kv" {
  venv = "/opt/n"
  min_gbps = { "dram.write" = 1 }
}
