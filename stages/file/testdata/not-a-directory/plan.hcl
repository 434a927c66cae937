host "h1" {
  address = "local"
}

stage "file" "below" {
  path    = "/etc/passwd/below"
  content = "x"
}

stage "file" "absent" {
  path   = "/etc/passwd/absent"
  ensure = "absent"
}
