host "a" {}
stage "file" "a" {
path = "/a"
depends_on = [stage.unit.u]
}
stage "unit" "u" {
  name = "u"
  restart_on = [stage.file.a]
}
