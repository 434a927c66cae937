host "h" {}
stage "file" "x" {
pth = "/x"
}
output "o" {}
output "p" {
  value = local.no
  sensitiv = true
}
