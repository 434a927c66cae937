stage "file" "x" {
path = "/m"
depends_on = [stage.file.y]
}
stage "file" "y" {
path = "/n"
}
