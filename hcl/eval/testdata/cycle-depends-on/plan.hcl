host "a" {}
stage "file" "a" {
path = "/a"
depends_on = [stage.file.b]
}
stage "file" "b" {
path = "/b"
depends_on = [stage.file.a]
}
stage "file" "self" {
path = "/b"
depends_on = [stage.file.self]
}
