host "gpu1" {
  address = "10.0.0.11"
}

stage "sysctl" "vm" {
  values = {
    "vm.max_map_count"  = "262144"
    "net.ipv4.tcp_rmem" = "4096 131072 6291456"
  }
}
