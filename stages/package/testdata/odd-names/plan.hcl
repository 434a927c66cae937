host "gpu1" {
  address = "10.0.0.11"
}

stage "package" "base" {
  packages = {
    "-rf"            = "*"
    "a b"            = "*"
    "$(reboot)"      = "*"
    "jq"             = "1.6; reboot"
    "Größe"          = "*"
    "x"              = "*"
    "tree-"          = "*"
    "curl"           = "2.*"
    "wget"           = ""
    "foo"            = "*"
    "foo.state"      = "*"
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" = "*"
    "both"           = "*"
  }
  absent = ["ok", "it's", "both", "q\"\\", "new\nline"]
}
