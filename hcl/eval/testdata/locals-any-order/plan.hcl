host "a" {}

stage "venv" "x" {
  words = [local.c, local.a]
}
locals {
  c = "${local.b}!"
}
locals {
  b = upper(local.a)
  a = "x"
}
