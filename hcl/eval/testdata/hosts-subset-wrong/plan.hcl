
host "gpu1" {}
host "gpu2" {}
stage "file" "a" {
path = "/x"
hosts = host.gpu1
}
stage "file" "b" {
path = "/x"
hosts = ["gpu1"]
}
stage "file" "c" {
path = "/x"
hosts = [host.gpu3]
}
stage "file" "d" {
path = "/x"
hosts = null
}
stage "file" "e" {
path = "/x"
hosts = [null]
}
stage "file" "f" {
path = "/x"
hosts = [{ name = 1, address = 2 }]
}
stage "file" "g" {
path = "/x"
hosts = [{ name = "gpu", address = "x" }]
}
stage "file" "h" {
path = "/x"
hosts = { a = host.gpu1 }
}
stage "file" "i" {
path = "/x"
hosts = host
}
stage "file" "j" {
path = "/x"
hosts = [host.gpu1.nmae]
}
