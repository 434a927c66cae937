host "h1" {
  address = "local"
}

stage "file" "motd" {
  path    = "/etc/pdprov-motd"
  content = "hello\n"
}

stage "file" "app" {
  path    = "/etc/pdprov-app/app.conf"
  content = "a = 1\nb = 2\n"
  owner   = "nobody"
  group   = "0"
  mode    = "0640"
}

stage "file" "spool" {
  path   = "/var/lib/pdprov-spool"
  ensure = "directory"
  mode   = "1777"
}

stage "file" "old" {
  path   = "/etc/pdprov-old"
  ensure = "absent"
}
