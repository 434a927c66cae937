host "gpu1" {
  address = "10.0.0.11"
}

stage "sysctl" "first" {
  values = {
    "vm.max_map_count" = "262144"
  }
}

stage "sysctl" "vm" {
  values = {
    "net.netfilter.nf_conntrack_max" = "1000000"
  }
  depends_on = [stage.sysctl.first]
}
