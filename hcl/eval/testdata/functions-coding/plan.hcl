host "a" {}
stage "venv" "x" {
  words = [for v in [
    csvdecode("a,b\n1,2"),
    jsondecode("{\"a\": [1]}"),
    jsonencode({ a = 1 }),
    base64encode("é"),
    base64decode("w6k="),
    sha256("a"),
    tostring(5),
    tonumber("5"),
    tobool("true"),
    tolist(toset(["a"])),
    tomap({ a = 1 }),
    try(local.x.nope, "fallback"),
    can(local.x.nope),
    try({}.a, 1),
  ] : jsonencode(v)]
}
