host "a" {}

variable "servers" {
  type = list(object({ name = string, tags = optional(map(string), { a = "b" }) }))
}
stage "venv" "x" {
  words = [for s in var.servers : "${s.name}=${s.tags["a"]}"]
}
