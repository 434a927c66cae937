
locals {
  a = local.b
  b = local.a
  c = local.d
  d = local.c
  e = "${local.f}${local.g}"
  f = local.e
  g = local.e
}
