compare() (
  deep=$1
  max=$2
  known=$3
  set --
  for list in ./*.dist-info/RECORD; do
    [ ! -f "$list" ] || set -- "$@" "$list"
  done
  [ -f "$known" ] || known=/dev/null
  # shellcheck disable=SC2016 # the dollars are of awk
  row='function row(line) {
    sub(/\r$/, "", line)
    if (!match(line, /,[^,]*,[0-9]*$/)) return 0
    p = substr(line, 1, RSTART - 1)
    n = split(substr(line, RSTART + 1), part, ",")
    size = part[n]
    sum = part[1]
    if (sub(/^sha256=/, "", sum) == 0) sum = ""
    if (p ~ /^".*"$/) {
      p = substr(p, 2, length(p) - 2)
      gsub(/""/, "\"", p)
    }
    if (p !~ /^\//) p = "./" p
    return size != "" && p !~ /\/__pycache__\// && p !~ /\.pyc$/
  }'
  paths() { [ "$#" -eq 0 ] || awk "$row"' row($0) && !seen[p]++ { print p }' "$@" | tr '\n' '\000'; }
  {
    for entry in * .[!.]*; do
      [ ! -e "$entry" ] || printf 'e %s\n' "$entry"
    done
    paths "$@" | xargs -0 stat -L -c 's %s %n' -- 2>/dev/null || :
    if [ -n "$deep" ]; then
      paths "$@" | xargs -0 sha256sum -- 2>/dev/null || :
    fi
  } | awk -v "deep=$deep" -v "max=$max" "$row"'
  function hex(text, i, v, out) {
    sub(/=+$/, "", text)
    for (i = 1; i <= length(text); i += 4) {
      v = digit(text, i) * 262144 + digit(text, i + 1) * 4096 + digit(text, i + 2) * 64 + digit(text, i + 3)
      out = out sprintf("%06x", v)
    }
    return substr(out, 1, 64)
  }
  function digit(text, i) { return i > length(text) ? 0 : index(table, substr(text, i, 1)) - 1 }
  function off(what, path) {
    sub(/^\.\//, "", path)
    if (path in known) return
    if (++count <= max) printf "%s\t%s\t%s\n", what, dist["./" path] dist[path], path
  }
  BEGIN {
    table = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    split("", want)
    split("", known)
    split("", top)
  }
  phase == 0 {
    split($0, part, "\t")
    known[part[3]]
    next
  }
  phase == 1 {
    usable = row($0)
    name = p
    sub(/^\.\//, "", name)
    sub(/\/.*/, "", name)
    top[name]
    if (!usable) next
    if (!(p in want)) order[++files] = p
    want[p] = want[p] size "," sum ";"
    dist[p] = FILENAME
    sub(/^\.\//, "", dist[p])
    sub(/\.dist-info.*/, "", dist[p])
    next
  }
  /^e / {
    entries[++found] = substr($0, 3)
    next
  }
  /^s [0-9]+ / {
    line = substr($0, 3)
    at = index(line, " ")
    sizes[substr(line, at + 1)] = substr(line, 1, at - 1)
    next
  }
  /^\\?[0-9a-f]+ [ *]/ {
    line = $0
    if (sub(/^\\/, "", line)) gsub(/\\\\/, "\\", line)
    hashes[substr(line, 67)] = substr(line, 1, 64)
  }
  END {
    for (i = 1; i <= files; i++) {
      p = order[i]
      if (!(p in sizes)) {
        off("missing", p)
        continue
      }
      n = split(want[p], choice, ";")
      good = unread = 0
      for (j = 1; j < n; j++) {
        split(choice[j], part, ",")
        if (part[1] + 0 != sizes[p] + 0) continue
        if (!deep || part[2] == "") good = 1
        else if (!(p in hashes)) unread = 1
        else if (hex(part[2]) == hashes[p]) good = 1
      }
      if (unread && !good) off("unread", p)
      else if (!good) off("other", p)
    }
    for (i = 1; i <= found; i++) {
      name = entries[i]
      if (name in top || name ~ /\.(dist-info|egg-info|egg-link)$/ || name ~ /^(__pycache__|_virtualenv\.(py|pth))$/) continue
      if (++strays <= 20) printf "unowned\t-\t%s\n", name
    }
    printf "count\t-\t%d\n", count
  }' phase=0 "$known" phase=1 "$@" phase=2 -
)
