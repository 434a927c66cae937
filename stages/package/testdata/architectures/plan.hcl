host "gpu1" {
  address = "10.0.0.11"
}

stage "package" "base" {
  packages = { "libc6:i386" = "*", "libc6" = "*", "bash:amd64" = "*", "adduser:amd64" = "*", "zlib1g" = "*" }
  absent   = ["libssl3:i386"]
}
