
locals {
  first = host.b.address
}
host "a" {
  address = host.b.address
}
host "b" {
  address = "10.0.0.1"
}
stage "file" "x" {
path = "/x"
}
