host "a" {}

stage "venv" "relative" {
  base = "opt/other"
}
stage "venv" "address" {
  base = "venv.relative"
}
stage "venv" "kind" {
  base = stage.file.f
}
stage "file" "f" {
  path = "/f"
}
