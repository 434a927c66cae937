host "a" {}
module "m" {
  source = "./m"
}
