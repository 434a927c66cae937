host "a" {}
stage "file" "a" {
path = "/a"
source = "missing.txt"
}
stage "file" "b" {
path = "/b"
source = "sub"
}
stage "file" "c" {
path = "/c"
source = ""
}
stage "file" "d" {
path = "/d"
source = ["x"]
}
