host "h1" {
  address = "local"
}

stage "unit" "web" {
  name = "pdprov-web.service"
  content = "[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n"
  enabled = true
  running = true
}

stage "unit" "timer" {
  name = "pdprov-tick.timer"
  content = "[Timer]\nOnCalendar=daily\nUnit=pdprov-web.service\n[Install]\nWantedBy=timers.target\n"
  enabled = true
  running = true
}

stage "unit" "old" {
  name = "pdprov-old.service"
  ensure = "absent"
}
