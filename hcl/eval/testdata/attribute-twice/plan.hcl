host "a" {}
stage "file" "x" {
path = "/x"
path = "/y"
}
