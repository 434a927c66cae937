host "a" {}

stage "file" "f" {
  path = "/f"
}
stage "venv" "x" {
  words = [
    "one",
    "two",
  ]
  env = {
    A       = "b"
    "c d"   = "e"
    (local.k) = "f"
  }
  unit       = stage.file.f
  depends_on = [stage.file.f]
  ignore     = ["dist.*", "mode"]
}
locals {
  k = "K"
}
