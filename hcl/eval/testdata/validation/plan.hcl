host "a" {}

variable "port" {
  type    = number
  default = 70000
  validation {
    condition     = var.port < 65536
    error_message = "The port is ${var.port}; at most 65535."
  }
  validation {
    condition     = var.port > 1
    error_message = "Too small."
  }
}
variable "ok" {
  default = "abc"
  validation {
    condition     = can(regex("^[a-z]+$", var.ok))
    error_message = "Letters."
  }
}
