host "h1" {
  address = "local"
}

stage "unit" "suffix" {
  name = "web"
}

stage "unit" "install" {
  name    = "web.service"
  content = "[Service]\nExecStart=/bin/true\n"
  enabled = true
}

stage "unit" "oneshot" {
  name    = "web.service"
  content = "[Service]\nType=oneshot\nExecStart=/bin/true\n"
  running = true
}

stage "unit" "broken" {
  name    = "web.service"
  content = "[Service]\nExecStart\n"
}

stage "unit" "headless" {
  name    = "web.service"
  content = "ExecStart=/bin/true\n"
}

stage "unit" "absent" {
  name    = "web.service"
  ensure  = "absent"
  running = true
}

stage "unit" "template" {
  name    = "web@.service"
  content = "[Service]\nExecStart=/bin/true\n"
  running = true
}

stage "command" "x" {
  check = "true"
  apply = "true"
}

stage "unit" "refers" {
  name       = "web.service"
  running    = true
  restart_on = [stage.command.x]
  dropins    = ["relative.conf"]
}
