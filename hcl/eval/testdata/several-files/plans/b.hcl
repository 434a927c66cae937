stage "file" "b" {
path = local.l
}
