
variable "a" {}
variable "b" {}
