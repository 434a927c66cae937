host "a" {}

stage "file" "config" {
  path = "/a"
}
stage "venv" "v" {}
stage "unit" "kind" {
  name       = "u"
  restart_on = [stage.venv.v]
}
stage "venv" "kind" {
  unit = stage.venv.v
}
stage "unit" "notlist" {
  name       = "u"
  restart_on = stage.file.config
}
stage "unit" "text" {
  name       = "u"
  restart_on = ["file.config"]
}
stage "unit" "forged" {
  name  = "u"
  after = { addr = "file.config", kind = "file" }
}
stage "unit" "forged2" {
  name  = "u"
  after = { addr = "file.config", kind = 1 }
}
stage "unit" "second" {
  name = "u"
  restart_on = [
    stage.file.config,
    "x",
  ]
}
stage "unit" "inside" {
  name  = stage.unit.second2.restart_on[0].path
}
stage "unit" "second2" {
  name       = "u"
  restart_on = [stage.file.config]
}
stage "unit" "nulls" {
  name       = "u"
  restart_on = [null]
}
stage "unit" "attr" {
  name = stage.file.config.pth
}
stage "unit" "name" {
  name = stage.file.confg.path
}
stage "unit" "nokind" {
  name = stage.fiel.config.path
}
stage "unit" "short" {
  name = stage.file
}
stage "unit" "root" {
  name = stag.file.config.path
}
stage "unit" "dynamic" {
  name = stage.file[local.x].path
}
stage "unit" "var" {
  name = var
}
stage "unit" "host" {
  name = host.aa.name
}
stage "unit" "module" {
  name = module.x.y
}
stage "unit" "func" {
  name = uper("x")
}
stage "unit" "local" {
  name = local.xx
}
locals {
  x   = "config"
  xyz = 1
}
