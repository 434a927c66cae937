host "a" {}
stage "file" "list" {
  for_each = ["a"]
  path = "/x"
}
stage "file" "number" {
  for_each = 3
  path = "/x"
}
stage "file" "null" {
  for_each = null
  path = "/x"
}
stage "file" "numbers" {
  for_each = toset([1, 2])
  path = "/x"
}
stage "file" "objects" {
  for_each = toset([{ a = 1 }])
  path = "/x"
}
stage "file" "text" {
  for_each = "abc"
  path = "/x"
}
stage "file" "nulls" {
  for_each = toset([null])
  path = "/x"
}
stage "file" "unknown" {
  for_each = local.nope
  path = "/x"
}
stage "file" "outside" {
  path = each.key
}
stage "file" "attr" {
  for_each = toset(["a", "b"])
  path     = each.name
  mode     = 5 + each.key
}
stage "file" "key" {
  path = stage.file.good["zz"].path
}
stage "file" "good" {
  for_each = toset(["a"])
  path     = "/${each.value}"
}
stage "file" "noindex" {
  path = stage.file.good.path
}
stage "unit" "notlist" {
  name  = "x"
  after = stage.file.good
}
