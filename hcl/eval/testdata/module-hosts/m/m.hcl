stage "file" "f" {
path = "/x"
}
stage "file" "own" {
path = "/y"
hosts = [host.b]
}
