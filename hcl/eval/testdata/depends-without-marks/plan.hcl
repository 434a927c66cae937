host "a" {}

stage "file" "one" {
  path = "/one"
}
stage "file" "many" {
  for_each = toset(["x", "y"])
  path     = "/many/${each.key}"
}

locals {
  count = length(stage.file.many)
  pick  = "x"
  all   = stage.file.many
}

module "m" {
  source = "./m"
  names  = keys(stage.file.many)
}

stage "file" "can" {
  path = can(stage.file.one.path) ? "/can" : "/cannot"
}
stage "file" "try" {
  path = try(tonumber(stage.file.one.path), "/try")
}
stage "file" "length" {
  path = "/n${length(stage.file.many)}"
}
stage "file" "keys" {
  path = "/${join("-", keys(stage.file.many))}"
}
stage "file" "for" {
  path = "/${join("+", [for k, v in stage.file.many : k])}"
}
stage "file" "local" {
  path = "/local${local.count}"
}
stage "file" "output" {
  path = "/output${module.m.count}"
}
stage "file" "condition" {
  path = local.count > 5 ? stage.file.one.path : "/condition"
}

# One instance is one instance, however it is named.
stage "file" "index" {
  path = "${stage.file.many[local.pick].path}/index"
}
stage "file" "static" {
  path = "${stage.file.many["y"].path}/static"
}
stage "file" "passed" {
  path = "${local.all["y"].path}/passed"
}
stage "file" "each" {
  for_each = stage.file.many
  path     = "${stage.file.many[each.key].path}/each"
}
