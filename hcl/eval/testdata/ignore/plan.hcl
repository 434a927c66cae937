host "a" {}
stage "file" "a" {
path = "/a"
ignore = ["mode", "dist.*"]
}
stage "file" "b" {
path = "/b"
ignore = []
}
stage "file" "c" {
path = "/c"
ignore = toset(["z", "a"])
}
