stage "file" "x" {
  path == "/x"
}
host "a {}
