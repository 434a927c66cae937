host "a" {}

module "nosource" {}
module "remote" {
  source = "git::https://example.com/x"
}
module "builtin" {
  source = "builtin/http_servise"
}
module "builtin2" {
  source = "builtin/http_service/"
}
module "dots" {
  source = "builtin/.."
}
module "expr" {
  source = "./${local.x}"
}
module "num" {
  source = 5
}
module "missing" {
  source = "./missing"
}
module "empty" {
  source = "./empty"
}
module "inputs" {
  source     = "./m"
  nmae       = "x"
  for_each   = toset(["a"])
  depends_on = [module.ok]
  block {}
}
module "needs" {
  source = "./m"
}
module "type" {
  source = "./m"
  name   = ["x"]
}
module "hosts" {
  source = "./m"
  name   = "x"
  hosts  = ["a"]
}
module "hosts2" {
  source = "./m"
  name   = "x"
  hosts  = [host.b]
}
module "ok" {
  source = "./m"
  name   = "good"
}
module "reference" {
  source = "./m"
  name   = module.ok.nam
}
module "validation" {
  source = "./m"
  name   = "toolong"
}
