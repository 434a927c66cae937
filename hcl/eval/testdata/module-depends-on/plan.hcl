host "a" {}
host "b" {}

stage "file" "first" {
  path = "/first"
}
stage "file" "many" {
  for_each = toset(["x", "y"])
  path     = "/many/${each.key}"
}

module "m" {
  source     = "./m"
  depends_on = [stage.file.first, stage.file.many["y"]]
}
module "n" {
  source     = "./m"
  depends_on = [module.m]
}
module "h" {
  source = "./m"
  hosts  = length(stage.file.many) > 0 ? [host.b] : [host.a]
}
