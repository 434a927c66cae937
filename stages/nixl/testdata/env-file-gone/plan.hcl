host "h1" {}
stage "nixl" "kv" {
  venv = "/opt/n"
  env = { UCX_TLS = "sm,tcp,self" }
  env_file = "/etc/pdprov/nixl.env"
  min_gbps = { "dram.write" = 0.1, "dram.read" = 0.1 }
}
