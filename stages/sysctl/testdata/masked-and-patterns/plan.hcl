host "gpu1" {
  address = "10.0.0.11"
}

stage "sysctl" "x" {
  values = {
    "net.ipv4.conf.eth0/1.rp_filter" = "1"
    "net/ipv4/conf/eth1/rp_filter"    = "2"
    "kernel.pid_max"                  = "99"
  }
}
