package nvrepo

import (
	"fmt"
	"strings"

	"github.com/pdprov/pdprov/internal/apt"
	"github.com/pdprov/pdprov/internal/hostfile"
	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/internal/record"
	"github.com/pdprov/pdprov/stages/stage"
)

// beside are the entries, in use or not, that stand in the files of the clashing ones
// and would be lost with them if those files were renamed.
func beside(entries, clashing []entry, address string) (list []entry) {
	in := map[string]bool{}
	for _, e := range clashing {
		in[e.file] = true
	}
	for _, e := range entries {
		if in[e.file] && !e.names(address) {
			list = append(list, e)
		}
	}
	return list
}

// mixed refuses to rename files that hold more than the clashing entries.
func mixed(rest []entry) (findings []stage.Finding) {
	for _, file := range files(rest) {
		findings = append(findings, stage.Finding{
			Path: "replace_sources", Summary: "A source file holds other entries too",
			Detail: fmt.Sprintf("%s names the repository, but also %s. Renaming the file would take those away, so it is left alone. Move the one entry into a file of its own, or comment it out, by hand.", file, inFile(rest, file)),
		})
	}
	return findings
}

// inFile are the addresses and lines of a file's entries.
func inFile(list []entry, file string) string {
	var what []string
	for _, e := range list {
		if e.file == file {
			what = append(what, fmt.Sprintf("%s (line %d)", e.url, e.line))
		}
	}
	return strings.Join(what, ", ")
}

// advice is what to do about clashing entries: the setting helps only where it would not
// be refused.
func advice(rest []entry) string {
	if len(rest) == 0 {
		return "Remove that source, or set replace_sources = true to have its file renamed to NAME.disabled."
	}
	var also []string
	for _, file := range files(rest) {
		also = append(also, fmt.Sprintf("%s also names %s", file, inFile(rest, file)))
	}
	return fmt.Sprintf("Remove that entry, or comment it out, by hand: %s, so that the whole file cannot be renamed.", strings.Join(also, "; "))
}

// renaming says what becomes of a file.
func renaming(file string) string {
	return fmt.Sprintf("rename %s to %s.disabled (if that exists: %s.1.disabled, and so on)", file, file, file)
}

// replaceScript renames the files in "$@" to names that apt and dnf pass over in silence,
// writes the repository's own and fetches its lists. A file that somebody changed since the
// plan was made is left alone, since an entry would be lost with it. What fails, or is
// interrupted, is undone: apt and dnf are as usable as before.
const replaceScript = record.Show + hostfile.Put + `
text=''
for file do text="$text$(show "$file" && echo .)" || exit 1; done
sum=$(printf '%s' "$text" | sha256sum)
if [ "${sum%% *}" != "$seen" ]; then
  echo "changed since the plan was made: $*. An entry that somebody added would be lost. Nothing was renamed; apply again, which looks again." >&2
  exit 1
fi
suffix=.disabled
taken() {
  for file do if [ -e "$file$suffix" ] || [ -h "$file$suffix" ]; then return 0; fi; done
  return 1
}
n=0
while taken "$@"; do
  n=$((n + 1))
  suffix=.$n.disabled
done
before=$PDPROV_FILES/before
if [ -e "$own" ]; then cp -p -- "$own" "$before"; fi
trap : HUP INT TERM # they end the part in brackets only
rc=0
(
  for file do
    mv -T -- "$file" "$file$suffix" || exit 1
    echo "$file is now $file$suffix"
  done
  put_file "$own" 0644 root:root "$content" "$PDPROV_FILES/content" || exit 1
  refresh_source "$refreshed" "$url"
) || rc=$?
if [ "$rc" -eq 0 ]; then exit 0; fi
rm -f -- "$own"
if [ -e "$before" ]; then cp -p -- "$before" "$own"; fi
for file do
  if [ -e "$file$suffix" ] && ! [ -e "$file" ]; then mv -T -- "$file$suffix" "$file"; fi
done
echo "the sources of packages are as they were before: $*" >&2
exit "$rc"
`

// replace is the step that puts the repository in the place of other source files.
func (r Repository) replace(s seen, clashing []string) stage.Step {
	texts, titles := "", []string{}
	for _, file := range clashing {
		texts += s.texts[file] + "."
		titles = append(titles, renaming(file))
	}
	step := r.step(strings.Join(titles, ", ")+", write "+r.file()+" and fetch the package lists of "+r.URL,
		"seen="+hostfile.Digest([]byte(texts)), "content="+hostfile.Digest([]byte(r.line())),
		"own="+posixsh.Quote(r.file()), "refreshed="+posixsh.Quote(r.refreshed()), "url="+posixsh.Quote(r.URL),
		posixsh.Words(append([]string{"set", "--"}, clashing...)...), replaceScript)
	step.Files = append(step.Files, stage.File{Name: "content", Data: []byte(r.line())})
	return step
}

// prove has apt check that the key signed the repository, with a source that nothing else
// reads, so that no file is renamed for a wrong key.
func (r Repository) prove() stage.Step {
	return apt.Step("check that the key signs "+r.URL,
		"dir=$(mktemp -d)",
		posixsh.Words("printf", "%s", r.line())+` >"$dir/proof.list"`,
		"rc=0",
		`( `+posixsh.Words("set", "--", r.URL)+`; refresh_source "$dir/proof.list" "$1" ) || rc=$?`,
		`rm -rf -- "$dir"`,
		"exit $rc")
}
