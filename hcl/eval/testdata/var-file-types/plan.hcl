host "a" {}

variable "n" {
  type = number
}
variable "l" {
  type = list(string)
}
variable "null" {
  default = "x"
}
variable "h" {
  type = map(number)
}
stage "venv" "x" {
  path  = var.null
  keep  = var.n
  words = concat(var.l, [for k, v in var.h : "${k}${v}"])
}
