host "a" {}
stage "venv" "x" {
  words = [for v in [
    file("data.txt"),
    fileexists("data.txt"),
    fileexists("nope"),
    fileexists("sub"),
    filesha256("data.txt"),
    templatefile("t.tmpl", { name = "x", list = ["a", "b"] }),
    env("HOME"),
    env("NOPE", "fallback"),
    env("NOPE", null),
    templatefile("n.tmpl", tomap({ n = 5 })),
    env("EMPTY"),
  ] : jsonencode(v)]
}
