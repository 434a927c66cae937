host "gpu1" {
  address = "10.0.0.11"
}

stage "command" "x" {
  check = <<-EOT
    test "$NAME" = 'a "b" $(id) \\'
    -x ü
  EOT
  apply = <<-EOT
    printf '%s\n' "$NAME" >'/srv/a b'
    EOF
  EOT
  env = {
    NAME = "a 'b' $(reboot) \\ \n -x ü"
  }
  dir           = "/srv/-a b'$x"
  timeout       = "1h30m"
  check_timeout = "1500ms"
}
