host "h1" {}
stage "cuda" "toolkit" {
  versions = ["13.0"]
}
