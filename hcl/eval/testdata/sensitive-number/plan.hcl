host "a" {}
variable "pin" {
  type = number
  sensitive = true
}
locals {
  x = file("/pins/${var.pin}")
}
stage "file" "x" {
path = "/x"
content = var.pin
}
