variable "a" {
}
stage "file" {
  path = 
}
