stage "file" "b" {
path = "/b"
source = "data.txt"
content = file("data.txt")
}
