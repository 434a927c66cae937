
variable "n" {
  type = number
}
