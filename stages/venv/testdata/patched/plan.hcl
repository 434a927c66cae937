host "h1" {
  address = "local"
}

stage "venv" "app" {
  path = "/opt/pdprov venvs/app"
  lock = "requirements.lock"
}
