host "h1" {
  address = "local"
}

stage "unit" "off" {
  name    = "pdprov-web.service"
  enabled = false
  running = false
}

stage "unit" "missing" {
  name    = "pdprov-missing.service"
  enabled = false
  running = false
}

stage "unit" "static" {
  name    = "dbus.service"
  enabled = false
  running = true
}

stage "unit" "template" {
  name    = "pdprov-x@.service"
  content = "[Service]\nExecStart=/bin/sleep %i\n"
}
