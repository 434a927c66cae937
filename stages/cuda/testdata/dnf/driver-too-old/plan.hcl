host "h1" {}
stage "cuda" "toolkit" {
  versions        = ["13.0"]
  repository      = "http://10.77.0.1:3128/rhel9/x86_64"
  key_fingerprint = "7C399AF035FD334E87A35594F40C6B6884383832"
}
