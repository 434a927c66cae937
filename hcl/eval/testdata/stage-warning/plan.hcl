host "a" {}
stage "file" "w" {
path = "/x"
mode = "0777"
}
