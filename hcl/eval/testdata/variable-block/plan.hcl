
variable "a" {
  type      = string
  defualt   = "x"
  sensitive = "yes"
  validate {
    condition = true
  }
}
variable "b" {
  default   = var.a
  sensitive = null
}
variable "c" {
  default = local.x
}
