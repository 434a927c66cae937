
locals {
  a = 1
  inner {
    b = 2
  }
}
locals "x" {
  c = 1
}
