host "a" {}
stage "venv" "x" {
  words = [for v in [
    abs(-1),
    ceil(1.2),
    floor(1.8),
    max(1, 3),
    min(1, 3),
    pow(2, 8),
    parseint("ff", 16),
    signum(-3),
  ] : jsonencode(v)]
}
