host "a" {}
stage "file" "many" {
  for_each = toset(["x", "y"])
  path     = "/many/${each.key}"
}
stage "file" "one" {
  path = "/one"
}
stage "unit" "u" {
  name = "u.service"
  restart_on = [
    stage.file.many,
    stage.file.one,
  ]
}
