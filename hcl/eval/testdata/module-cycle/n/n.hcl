module "m" {
  source = "../n/../m"
}
