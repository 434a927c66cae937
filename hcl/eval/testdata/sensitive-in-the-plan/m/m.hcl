variable "token" {
  sensitive = true
  type = string
  validation {
    condition = false
    error_message = "No."
  }
}
