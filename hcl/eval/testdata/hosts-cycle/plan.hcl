
host "a" {
  address = host.b.address
}
host "b" {
  address = host.a.address
}
