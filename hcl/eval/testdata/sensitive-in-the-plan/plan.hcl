host "a" {}

variable "token" {
  type      = number
  sensitive = true
  default   = "S3CR3T-value"
}
variable "valid" {
  sensitive = true
  default   = "S3CR3T-\"other"
  validation {
    condition     = startswith(var.valid, "x")
    error_message = "Not ${var.valid}."
  }
}
module "m" {
  source = "./m"
  token  = "S3CR3T-third"
}
module "n" {
  source = "./m"
  token  = ["S3CR3T-fourth"]
}
