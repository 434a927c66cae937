host "a" {}
stage "venv" "x" {
  words = [for v in [
    chomp("a\n"),
    format("%s-%03d", "a", 5),
    formatlist("%s!", ["a", "b"]),
    indent(2, "a\nb"),
    join(",", ["a", "b"]),
    lower("A"),
    upper("a"),
    title("ab c"),
    regex("[a-z]+", "12ab"),
    regexall("[a-z]", "1a2b"),
    regexreplace("a1b2", "[0-9]", "x"),
    replace("aa", "a", "b"),
    split(",", "a,b"),
    strlen("äb"),
    substr("hello", 1, 2),
    strrev("ab"),
    trim("xax", "x"),
    trimprefix("xa", "x"),
    trimsuffix("ax", "x"),
    trimspace(" a "),
    startswith("abc", "ab"),
    endswith("abc", "x"),
    basename("/a/b.c"),
    dirname("/a/b.c"),
  ] : jsonencode(v)]
}
