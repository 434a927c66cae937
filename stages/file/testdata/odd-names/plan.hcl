host "h1" {
  address = "local"
}

stage "file" "space" {
  path    = "/srv/pdprov odd/with space"
  content = "$HOME `x` 'q' \"d\" \\ ü\n"
}

stage "file" "newline" {
  path    = "/srv/pdprov odd/new\nline: No such file or directory"
  content = "-n"
}

stage "file" "dash" {
  path    = "/srv/pdprov odd/-rf"
  content = ""
}

stage "file" "gone" {
  path    = "/srv/pdprov odd/$(touch x)\\ 'é漢'"
  content = "end 0:\n"
}
