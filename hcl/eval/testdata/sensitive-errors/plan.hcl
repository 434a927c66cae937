host "a" {}
variable "token" {
  type = string
  sensitive = true
}

locals {
  f1 = file(var.token)
  f2 = file("/x/${lower(var.token)}")
  f3 = [for w in split("T", var.token) : file(w)]
  f4 = jsondecode(var.token)
  f5 = { for w in ["a", "b"] : base64encode(var.token) => w }
  f6 = templatefile("t.tmpl", { t = var.token })
  f7 = var.token + 1
  f8 = { a = 1 }[var.token]
  f9 = { a = 1 }[lower(var.token)]
  g1 = parseint(var.token, 10)
  g2 = tonumber(var.token)
  g3 = nope(var.token)
  g4 = regex(var.token, "x")
  g5 = env(var.token)
  g6 = env(upper(local.copy))
  g7 = var.token.x
  g8 = [1][var.token]
  copy = var.token
}
stage "file" "bad" {
  path    = "/x"
  content = "BAD ${lower(var.token)} ${var.token}"
}
