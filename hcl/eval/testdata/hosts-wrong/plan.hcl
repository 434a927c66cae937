
host "a" {
  adress = "x"
  port   = "many"
  labels = ["a"]
}
host "b" {
  port = 0
}
host "c" {
  port = 70000
}
host "d" {
  port = 22.5
}
host "e" {
  address = ""
  sudo    = "maybe"
}
host "f" {
  labels      = { a = null }
  environment = { "A=B" = "x" }
}
host "g" {
  environment = { "A B; reboot" = "x", "1A" = "y" }
}
host "h" {
  environment = { A = "x${jsondecode("\"\\u0000\"")}" }
}
host "i" {
  labels {
    a = "b"
  }
}
