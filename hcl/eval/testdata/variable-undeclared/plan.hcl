host "a" {}

variable "colour" {
  default = "red"
}
stage "file" "x" {
path = var.color
}
