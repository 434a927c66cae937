host "a" {}

locals {
  start = local.b
  a     = local.b
  b     = local.c
  c     = local.b
}
