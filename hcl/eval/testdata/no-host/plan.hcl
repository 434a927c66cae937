stage "file" "x" {
path = "/x"
}
