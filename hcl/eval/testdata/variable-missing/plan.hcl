
variable "token" {
  type = string
}
variable "tokens" {}
host "a" {}
stage "file" "x" {
path = var.token
}
