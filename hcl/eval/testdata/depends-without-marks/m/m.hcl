variable "names" {}

output "count" {
  value = length(var.names)
}
stage "file" "inner" {
  path = "/inner/${length(var.names)}"
}
