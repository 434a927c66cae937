
host "j" "k" {}
host {}
host "bad name" {}
stages "file" "z" {}
stage "file" {
  path = "/x"
}
stage file "9x" {
  path = "/x"
}
path = "/x"
