
host "a" {
  address       = "10.0.0.11"
  user          = "ubuntu"
  port          = "2222"
  identity_file = "~/.ssh/id"
  sudo          = true
  labels        = { rack = "a", n = 1 }
  environment   = { https_proxy = "http://10.0.0.1:3128" }
}
host "b" {}
host "c" {
  address = null
  port    = null
  labels  = null
}
stage "venv" "x" {
  words = [host.a.name, host.a.address, host.a.user, tostring(host.a.port), host.a.labels["rack"], host.b.address]
}
