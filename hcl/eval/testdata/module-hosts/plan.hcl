host "a" {}
host "b" {}
host "c" {}
module "m" {
  source = "./m"
  hosts = [host.c, host.a]
}
module "none" {
  source = "./m"
  hosts = []
}
module "variable" {
  source = "./v"
  hosts = [host.b]
}
