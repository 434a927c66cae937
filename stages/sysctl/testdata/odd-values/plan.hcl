host "gpu1" {
  address = "10.0.0.11"
}

stage "sysctl" "vm" {
  values = {
    "kernel.core_pattern" = "|/usr/bin/a  'b' \"c\" $(reboot) `id` \\n %%P ümläut -x"
    "kernel.domainname" = "-e"
  }
}
