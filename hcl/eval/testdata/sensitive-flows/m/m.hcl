variable "in" {}
output "out" {
  value = "<${var.in}>"
}
output "made" {
  value = "made here"
  sensitive = true
}
