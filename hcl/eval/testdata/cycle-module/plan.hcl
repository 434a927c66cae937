host "a" {}
stage "file" "a" {
path = module.m.out
}
module "m" {
  source = "./m"
  in = stage.file.a.path
}
