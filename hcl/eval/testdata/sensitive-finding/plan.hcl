host "a" {}
variable "token" {
  type = string
  sensitive = true
}
stage "file" "bad" {
path = "/x"
content = "BAD ${lower(var.token)} ${var.token}"
}
