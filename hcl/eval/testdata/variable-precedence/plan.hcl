host "a" {}

variable "a" {
  default = "default"
}
variable "b" {
  default = "default"
}
variable "c" {
  default = "default"
}
variable "d" {
  default = "default"
}
variable "e" {
  default = "default"
}
stage "venv" "x" {
  words = [var.a, var.b, var.c, var.d, var.e]
}
