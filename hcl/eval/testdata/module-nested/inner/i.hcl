variable "path" {}
stage "file" "g" {
  for_each = toset(["k"])
  path = "${var.path}/${each.key}"
}
output "path" {
  value = stage.file.g["k"].path
}
