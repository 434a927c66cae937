host "a" {}
stage "file" "first" {
path = "/1"
depends_on = [stage.file.late, stage.file.many, module.m, stage.file.many]
}
stage "file" "instance" {
path = "/2"
depends_on = [stage.file.many["a"]]
}
stage "file" "late" {
path = "/3"
}
stage "file" "many" {
  for_each = toset(["b", "a"])
  path = each.key
}
stage "file" "many2" {
  path = "/m2"
}
module "m" {
  source = "./m"
}
module "m2" {
  source = "./m"
}
