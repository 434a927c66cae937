host "a" {}
host "b" {}
module "outer" {
  source = "./outer"
  hosts = [host.b]
}
stage "file" "x" {
path = module.outer.path
}
