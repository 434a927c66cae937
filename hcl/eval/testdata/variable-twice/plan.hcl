host "a" {}

variable "a" {
  default = "x"
}
variable "a" {
  default = "y"
}
locals {
  l = 1
}
locals {
  l = 2
}
host "a" {}
stage "file" "x" {
  path = "/x"
}
stage "file" "x" {
  path = "/y"
}
