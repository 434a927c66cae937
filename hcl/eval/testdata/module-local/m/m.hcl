variable "name" {
  type = string
}
variable "text" {
  default = "t"
}
stage "file" "f" {
path = "/${var.name}"
content = file("data.txt")
source = "data.txt"
}
output "path" {
  value = stage.file.f.path
}
output "all" {
  value = jsonencode(stage.file.f)
}
