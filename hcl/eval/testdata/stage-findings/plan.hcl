
host "a" {}
host "b" {}
stage "venv" "x" {
  words = ["good", "bad1", "bad2"]
}
stage "venv" "y" {
  words = [for w in ["bad"] : w]
}
stage "file" "w" {
  path = "/x"
  mode = "0777"
}
