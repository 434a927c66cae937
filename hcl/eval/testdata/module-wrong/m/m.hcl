variable "name" {
  type = string
  validation {
    condition = length(var.name) < 6
    error_message = "Too long."
  }
}
output "name" {
  value = var.name
}
