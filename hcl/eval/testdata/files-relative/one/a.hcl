host "a" {}
stage "file" "a" {
path = "/a"
source = "data.txt"
content = file("data.txt")
}
