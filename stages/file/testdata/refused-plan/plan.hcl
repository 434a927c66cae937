host "h1" {
  address = "local"
}

stage "file" "relative" {
  path    = "etc/motd"
  content = "x"
}

stage "file" "dots" {
  path    = "/etc/../motd"
  content = "x"
  mode    = "rw-r--r--"
}

stage "file" "empty" {
  path = "/etc/motd"
}

stage "file" "removed" {
  path    = "/etc/motd"
  content = "x"
  ensure  = "absent"
  owner   = "root:root"
}
