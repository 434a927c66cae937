host "a" {}

stage "file" "many" {
  for_each = { a = stage.file.one.path, b = "/b" }
  path     = "${each.value}.copy"
}
stage "file" "one" {
  path = "/one"
}
stage "unit" "u" {
  name       = "u"
  restart_on = stage.file.many
}
stage "unit" "each" {
  for_each   = stage.file.many
  name       = each.value.path
  restart_on = [each.value]
}
