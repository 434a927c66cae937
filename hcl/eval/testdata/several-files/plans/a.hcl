stage "file" "a" {
path = "/x"
}
locals {
  l = "/l"
}
