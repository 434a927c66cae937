stage "file" "inner" {
  path = "/inner"
}
stage "file" "second" {
  path       = "/second"
  depends_on = [stage.file.inner]
}
