host "a" {}
stage "file" "x" {
  path = "/x
}
