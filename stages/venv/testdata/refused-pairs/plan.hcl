host "h1" {
  address = "local"
}

stage "venv" "sglang" {
  path = "/opt/pdprov/venvs/sglang"
  lock = "requirements.lock"
  cuda = "cu130"
}

stage "venv" "untagged" {
  path = "/opt/pdprov/venvs/untagged"
  lock = "untagged.lock"
  cuda = "cu130"
}

stage "venv" "processor" {
  path = "/opt/pdprov/venvs/processor"
  lock = "processor.lock"
  cuda = "cu130"
}
