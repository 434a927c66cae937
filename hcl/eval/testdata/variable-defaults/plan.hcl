host "a" {}

variable "a" {
  default = "x"
}
variable "list" {
  type    = list(number)
  default = ["1", 2]
}
variable "null" {
  type    = string
  default = null
}
variable "upper" {
  default = upper("abc")
}
stage "venv" "x" {
  path  = var.null
  words = concat([var.a, var.upper], [for n in var.list : tostring(n)])
}
