host "h1" {
  address = "local"
}

stage "unit" "missing" {
  name    = "pdprov-missing.service"
  running = true
}

stage "unit" "static" {
  name    = "dbus.service"
  enabled = true
}
