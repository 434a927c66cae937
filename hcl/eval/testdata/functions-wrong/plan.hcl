host "a" {}
locals {
  f00 = file("nope")
  f01 = file("sub")
  f02 = file("latin1.txt")
  f03 = file("nfd.txt")
  f04 = filesha256("nope")
  f05 = templatefile("nope", {})
  f06 = templatefile("t.tmpl", {})
  f07 = templatefile("t.tmpl", "x")
  f08 = templatefile("t.tmpl", null)
  f09 = templatefile("syntax.tmpl", {})
  f10 = templatefile("recursive.tmpl", {})
  f11 = env("NOPE")
  f12 = env("A", "b", "c")
  f13 = env("PDPROV_VAR_x")
  f14 = base64decode("!")
  f15 = base64decode("/w==")
  f16 = length(5)
  f17 = length(null)
  f18 = toset("a")
  f19 = tonumber("a")
  f20 = upper()
  f21 = upper("a", "b")
  f22 = jsondecode("{")
  f23 = nope::x()
  f24 = tostring(1 / 0)
  f25 = jsonencode(1 / 0)
  f26 = format("%d", 1 / 0)
  f27 = jsonencode(0 - 1 / 0)
  f28 = templatefile("t.tmpl", { name = null })
  f29 = regex("(", "a")
  f30 = file(null)
  f31 = 1 / 0
  f32 = {}.a
  f33 = [1][5]
  f34 = { for x in ["a", "a"] : x => 1 }
}
