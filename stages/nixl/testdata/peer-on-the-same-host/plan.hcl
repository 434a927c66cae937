host "h1" {}
host "h2" {}
stage "nixl" "prefill" {
  hosts    = [host.h2]
  venv     = "/opt/n"
  env      = { UCX_NET_DEVICES = "eth0" }
  peer     = stage.nixl.decode
  min_gbps = { "peer.dram.write" = 1 }
}
stage "nixl" "decode" {
  hosts   = [host.h2]
  venv    = "/opt/n"
  env     = { UCX_NET_DEVICES = "eth1" }
  address = "10.0.0.12"
}
