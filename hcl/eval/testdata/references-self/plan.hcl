host "a" {}
stage "file" "a" {
path = stage.file.a.path
}

stage "file" "m" {
  for_each = toset(["a", "b"])
  path     = stage.file.m["a"].path
}
