host "h1" {
  address = "local"
}

stage "venv" "app" {
  path   = "/opt/a:b"
  lock   = "requirements.lock"
  python = "python3"
  keep   = -1
}
