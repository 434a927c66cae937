
host "a" {}
variable "m" {
  type = map(number)
  default = { y = 2, x = 1 }
}
stage "file" "set" {
  for_each = toset(["b", "a"])
  path     = "/${each.key}/${each.value}"
}
stage "file" "map" {
  for_each = var.m
  path     = "/${each.key}/${each.value}"
}
stage "file" "object" {
  for_each = { one = { p = "/1" }, "t w.o" = { p = "/2", q = "/3" } }
  path     = try(each.value.q, each.value.p)
}
stage "file" "none" {
  for_each = {}
  path     = each.key
}
stage "venv" "all" {
  words = concat([for f in stage.file.set : f.path], [stage.file.object["one"].path], values(stage.file.map)[*].path)
}
