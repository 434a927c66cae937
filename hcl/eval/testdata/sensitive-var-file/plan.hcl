host "a" {}
variable "pin" {
  type = number
  sensitive = true
}
variable "list" {
  type = list(number)
  sensitive = true
}
