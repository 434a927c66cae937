host "a" {}
stage "file" "a" {
path = "/a"
ignore = "mode"
}
stage "file" "b" {
path = "/b"
ignore = null
}
stage "file" "c" {
path = "/c"
ignore = [null]
}
stage "file" "d" {
path = "/d"
ignore = [["a"]]
}
