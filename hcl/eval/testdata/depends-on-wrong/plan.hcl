host "a" {}
stage "file" "a" {
path = "/1"
depends_on = stage.file.b
}
stage "file" "b" {
path = "/2"
depends_on = ["file.a"]
}
stage "file" "c" {
path = "/3"
depends_on = [stage.file.nope]
}
stage "file" "d" {
path = "/4"
depends_on = [stage.file.many["zz"]]
}
stage "file" "e" {
path = "/5"
depends_on = [stage.file.plain.path]
}
stage "file" "f" {
path = "/6"
depends_on = [module.m.out]
}
stage "file" "g" {
path = "/7"
depends_on = [module.n]
}
stage "file" "h" {
path = "/8"
depends_on = [local.x]
}
stage "file" "i" {
path = "/9"
depends_on = null
}
stage "file" "j" {
path = "/10"
depends_on = [stage.file.many[each.key]]
}
stage "file" "plain" {
path = "/x"
}
stage "file" "many" {
  for_each = toset(["b", "a"])
  path = each.key
}
module "m" {
  source = "./m"
}
locals {
  x = 1
}
