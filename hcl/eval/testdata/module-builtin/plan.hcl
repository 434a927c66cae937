host "a" {}
module "web" {
  source = "builtin/http_service"
}
