
variable "n" {
  type = number
}
variable "l" {
  type = list(string)
}
variable "o" {
  type = list(object({ port = number }))
}
variable "d" {
  type    = bool
  default = "maybe"
}
variable "t" {
  type = strng
}
variable "q" {
  type = "string"
}
variable "text" {
  type = object({ a = number })
}
