host "a" {}

stage "fil" "x" {
  path = "/x"
}
stage "file" "y" {
  path  = "/y"
  moed  = "0644"
  ensure {
    a = 1
  }
  foo {}
}
stages "file" "z" {}
stage "file" {
  path = "/x"
}
stage file "9x" {
  path = "/x"
}
path = "/x"
