host "gpu1" {
  address = "10.0.0.11"
}

stage "sysctl" "vm" {
  values = {
    "net.netfilter.nf_conntrack_max" = "1000000"
  }
}
