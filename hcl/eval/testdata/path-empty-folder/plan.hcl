host "a" {}
