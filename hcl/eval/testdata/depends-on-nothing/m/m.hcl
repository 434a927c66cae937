stage "file" "inner" {
  for_each = {}
  path     = "/inner"
}
output "nothing" {
  value = "nothing"
}
