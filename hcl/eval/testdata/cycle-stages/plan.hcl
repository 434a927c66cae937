host "a" {}
stage "file" "a" {
path = stage.file.b.path
}
stage "file" "b" {
path = stage.file.c.path
}
stage "file" "c" {
path = local.l
}
locals {
  l = stage.file.a.path
}
