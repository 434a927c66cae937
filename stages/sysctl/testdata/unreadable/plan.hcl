host "gpu1" {
  address = "10.0.0.11"
}

stage "sysctl" "vm" {
  values = {
    "net.ipv4" = "1"
    "net.ipv6.conf.all.stable_secret" = "x"
    "vm.max_map_count" = "1"
  }
}
