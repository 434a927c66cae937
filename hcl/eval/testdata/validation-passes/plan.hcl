host "a" {}

variable "x" {
  type = list(string)
  validation {
    condition     = length(var.x) == 2
    error_message = "Two."
  }
}

stage "venv" "x" {
  words = var.x
}
