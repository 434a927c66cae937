
variable "x" {
  default = "y"
  validation {
    condition = true
  }
  validation {
    condition     = var.z
    error_message = local.a
  }
  validation {
    condition     = "maybe"
    error_message = "m"
  }
  validation {
    condition     = null
    error_message = "m"
  }
  validation {
    condition     = nosuch(var.x)
    error_message = "m"
  }
  validation {
    condition     = false
    error_message = 1 + "a"
    hint          = "x"
  }
  validation {
    condition     = false
    error_message = null
  }
}
