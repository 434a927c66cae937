
host "c" {}
host "a" {}
host "b" {}
locals {
  pair = [host.b, host.c]
}
stage "file" "x" {
path = "/x"
hosts = [host.a, host.c, host.a]
}
stage "file" "y" {
path = "/y"
hosts = local.pair
}
stage "file" "z" {
path = "/z"
hosts = [for h in [host.a, host.b] : h if h.name == "b"]
}
stage "file" "none" {
path = "/n"
hosts = []
}
stage "file" "all" {
path = "/all"
}
