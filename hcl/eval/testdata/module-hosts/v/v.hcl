variable "hosts" {
  type = any
}
stage "file" "f" {
path = "/x"
hosts = var.hosts
}
stage "file" "all" {
path = "/x"
}
