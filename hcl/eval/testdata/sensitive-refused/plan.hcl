host "a" {}
variable "token" {
  type = string
  sensitive = true
}

host "b" {
  address = var.token
}
host "c" {
  labels = { a = var.token }
}
stage "file" "path" {
path = var.token
}
stage "file" "mode" {
path = "/x"
mode = lower(var.token)
}
stage "file" "each" {
for_each = toset([var.token])
path = "/x"
}
stage "file" "key" {
for_each = { (var.token) = 1 }
path = "/x"
}
stage "file" "ignore" {
path = "/x"
ignore = [var.token]
}
stage "file" "hosts" {
path = "/x"
hosts = var.token == "x" ? [host.a] : []
}
stage "file" "other" {
path = stage.file.ok.content
}
stage "file" "through" {
path = stage.unit.u.restart_on[0].content
}
stage "file" "ok" {
path = "/ok"
content = var.token
}
stage "file" "source" {
path = "/x"
source = lower(var.token)
}

stage "unit" "u" {
  name       = "u"
  restart_on = [stage.file.ok]
}
stage "unit" "choice" {
  name  = "u"
  after = var.token == "x" ? stage.file.ok : stage.file.ok
}
stage "venv" "words" {
  words = [var.token]
}
