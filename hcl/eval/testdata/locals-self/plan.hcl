
locals {
  a = [local.a, local.a]
}
