stage "file" "x" {
path = "/x"
}
output "out" {
  value = 1
}
