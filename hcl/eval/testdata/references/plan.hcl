host "a" {}

stage "file" "a" {
  path = "/a"
}
stage "file" "b" {
  path    = "${stage.file.a.path}.d"
  content = stage.file.a.mode
}
stage "unit" "u" {
  name       = "u"
  restart_on = [stage.file.a, stage.file.b]
}
stage "unit" "after" {
  name       = "v"
  after      = stage.unit.u
  restart_on = stage.unit.u.restart_on
}
stage "unit" "many" {
  name       = "w"
  restart_on = concat([stage.file.a], values(stage.file.more))
}
stage "unit" "nested" {
  name       = "w"
  restart_on = [stage.file.a, stage.file.more]
}
stage "file" "more" {
  for_each = toset(["x", "y"])
  path     = "/${each.key}"
}
locals {
  chosen = true ? stage.file.a : stage.file.b
}
stage "venv" "v" {
  unit  = local.chosen
  words = [stage.unit.u.addr, stage.unit.u.kind, jsonencode(stage.venv.w.words), jsonencode(stage.venv.w.env)]
}
stage "venv" "w" {}
