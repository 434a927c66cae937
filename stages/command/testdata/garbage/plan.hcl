host "gpu1" {
  address = "10.0.0.11"
}

stage "command" "x" {
  check = "test -e /var/lib/x"
  apply = "mkdir /var/lib/x"
}
