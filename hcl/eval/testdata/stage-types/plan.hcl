host "a" {}

stage "venv" "x" {
  path  = 12
  keep  = "3"
  words = toset(["b", "a"])
  env   = { A = 1, B = true }
}
stage "venv" "defaults" {}
stage "venv" "nulls" {
  path  = null
  keep  = null
  words = null
  env   = null
}
stage "unit" "u" {
  name    = "x"
  running = "false"
}
