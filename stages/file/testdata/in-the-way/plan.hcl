host "h1" {
  address = "local"
}

stage "file" "directory" {
  path    = "/srv/pdprov-way/d"
  content = "x"
}

stage "file" "pipe" {
  path   = "/srv/pdprov-way/p"
  ensure = "absent"
}

stage "file" "file" {
  path   = "/srv/pdprov-way/f"
  ensure = "directory"
}
