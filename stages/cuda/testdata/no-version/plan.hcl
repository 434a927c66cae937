host "h1" {}
stage "cuda" "toolkit" {
  versions = []
}
