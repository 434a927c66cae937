host "a" {}
stage "file" "a" {
path = "/a"
source = "data.txt"
}
stage "file" "b" {
path = "/b"
source = "sub/../data.txt"
}
