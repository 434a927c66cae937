module "inner" {
  source = "../inner"
  path = stage.file.f.path
}
module "other" {
  source = "../inner"
  path = "/o"
  hosts = [host.b, host.a]
}
stage "file" "f" {
path = "/f"
}
output "path" {
  value = module.inner.path
}
