
variable "port" {
  type = number
  validation {
    condition     = var.port < 65536
    error_message = "Too large."
  }
}
