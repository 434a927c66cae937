
variable "a" {}
