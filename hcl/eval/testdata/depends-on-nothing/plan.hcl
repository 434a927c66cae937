host "a" {}

stage "file" "first" {
  path = "/first"
}
stage "file" "none" {
  for_each   = toset([])
  path       = "/none"
  depends_on = [stage.file.first]
}
stage "file" "after" {
  path       = "/after"
  depends_on = [stage.file.none]
}
stage "file" "refers" {
  path = "/refers${length(stage.file.none)}"
}
stage "file" "again" {
  for_each = stage.file.none
  path     = "/again"
}
stage "file" "last" {
  path       = "/last"
  depends_on = [stage.file.again]
}

module "hollow" {
  source     = "./m"
  depends_on = [stage.file.after]
}
stage "file" "behind" {
  path       = "/behind"
  depends_on = [module.hollow]
}
