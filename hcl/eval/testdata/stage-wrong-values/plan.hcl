host "a" {}

stage "venv" "x" {
  path  = ["a"]
  keep  = "many"
  words = "a"
  env   = ["a"]
  unit  = "unit.x"
}
stage "venv" "y" {
  words = ["a", null]
  env   = { a = null }
  keep  = 1e400
}
stage "venv" "deep" {
  words = ["a", ["b"]]
  env   = { a = { b = "c" } }
}
stage "file" "z" {
  ensure = "abesnt"
}
