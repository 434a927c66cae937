host "a" {}
variable "token" {
  type = string
  sensitive = true
}

stage "file" "direct" {
  path    = "/a"
  content = var.token
}
stage "file" "template" {
  path    = "/b"
  content = "x ${var.token} y"
}
stage "file" "templatefile" {
  path    = "/c"
  content = templatefile("t.tmpl", { t = var.token })
}
stage "file" "for" {
  path    = "/d"
  content = join(",", [for w in split("-", var.token) : upper(w)])
}
stage "file" "object" {
  path    = "/e"
  content = jsonencode({ a = { b = var.token } })
}
stage "file" "condition" {
  path    = "/f"
  content = var.token == "x" ? "yes" : "no"
}
stage "file" "local" {
  path    = "/g"
  content = local.wrapped.inner[0]
}
stage "file" "other" {
  path    = "/h"
  content = stage.file.direct.content
}
stage "file" "plain" {
  path    = "/i"
  content = stage.file.direct.path
}
stage "unit" "reference" {
  name       = "u"
  restart_on = [stage.file.direct, stage.file.each]
  after      = stage.file.direct
}
stage "unit" "through" {
  name       = "v"
  restart_on = concat(stage.unit.reference.restart_on, [stage.unit.reference.after])
}
stage "file" "each" {
  for_each = { a = var.token, b = "plain" }
  path     = "/${each.key}"
  content  = each.value
}
stage "venv" "map" {
  env = { TOKEN = var.token }
}
stage "file" "module" {
  path    = "/k"
  content = module.m.out
}
stage "file" "marked" {
  path    = "/l"
  content = module.m.made
}
module "m" {
  source = "./m"
  in     = var.token
}
stage "file" "length" {
  path    = "/m"
  content = length(var.token)
}
locals {
  wrapped = { inner = ["${var.token}"] }
}
