host "a" {}

variable "o" {
  type = object({ a = optional(string, "d") })
}
stage "venv" "x" {
  path = var.o.a
}
