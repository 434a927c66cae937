host "a" {}
variable "o" {
  sensitive = true
  type = object({ a = optional(list(string), []), b = optional(string, "S3CR3T-default") })
}
stage "file" "x" {
path = "/x"
content = jsonencode(var.o.a)
}
stage "file" "y" {
path = "/y"
content = var.o.b
}
