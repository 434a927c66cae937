host "h1" {
  address = "local"
}

stage "file" "conf" {
  path    = "/etc/pdprov web.conf"
  content = "port = 2\n"
}

stage "unit" "web" {
  name       = "pdprov-web.service"
  running    = true
  restart_on = [stage.file.conf]
}
