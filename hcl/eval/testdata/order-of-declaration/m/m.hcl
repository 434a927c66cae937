variable "in" {}
stage "file" "x" {
path = stage.file.y.path
}
stage "file" "y" {
path = var.in
}
output "out" {
  value = stage.file.x.path
}
