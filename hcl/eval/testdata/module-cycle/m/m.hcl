module "n" {
  source = "../n"
}
module "n2" {
  source = "../n"
}
