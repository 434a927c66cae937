host "h1" {}
stage "nixl" "kv" {
  venv = "/opt/n"
  env        = { "1X" = "a", UCX_TLS = "sm,self" }
  env_file   = "etc/x"
  memory     = ["disk"]
  size       = "64"
  repeats    = 0
  min_gbps   = { "dram.push" = 1, "dram.write" = "fast" }
  gpu_pairs  = ["0 1"]
  stall      = "soon"
}
