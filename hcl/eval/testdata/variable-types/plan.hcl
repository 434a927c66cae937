host "a" {}

variable "s" {
  type = string
}
variable "untyped" {}
variable "n" {
  type = number
}
variable "b" {
  type = bool
}
variable "l" {
  type = list(string)
}
variable "m" {
  type = map(string)
}
variable "o" {
  type = object({ port = number, host = optional(string, "localhost"), tls = optional(bool) })
}
stage "file" "x" {
  path    = "/${var.s}/${var.untyped}"
  content = jsonencode({ n = var.n, b = var.b, l = var.l, m = var.m, o = var.o })
}
