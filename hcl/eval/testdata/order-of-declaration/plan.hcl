host "a" {}
locals {
  l = stage.file.d.path
}
stage "file" "a" {
path = stage.file.c.path
}
module "m" {
  source = "./m"
  in = local.l
}
stage "file" "b" {
path = module.n.out
}
stage "file" "c" {
path = stage.file.d.path
}
module "n" {
  source = "./m"
  in = stage.file.e.path
}
stage "file" "d" {
path = "/x"
}
stage "file" "e" {
path = "/x"
}
