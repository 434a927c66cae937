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
