host "h1" {
  address = "local"
}

stage "venv" "app" {
  path = "/opt/pdprov venvs/marked"
  lock = "requirements.lock"
}
