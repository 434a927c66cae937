host "a" {}
module "m" {
  source = "./m"
  name = "x"
}
stage "file" "after" {
path = module.m.path
content = module.m.all
}
