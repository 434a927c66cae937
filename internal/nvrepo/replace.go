package nvrepo

import (
	"fmt"

	"github.com/pdprov/pdprov/internal/apt"
	"github.com/pdprov/pdprov/internal/posixsh"
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
		what := ""
		for _, e := range rest {
			if e.file == file {
				what += fmt.Sprintf(", %s (line %d)", e.url, e.line)
			}
		}
		findings = append(findings, stage.Finding{
			Path: "replace_sources", Summary: "A source file holds other entries too",
			Detail: fmt.Sprintf("%s names the repository, but also %s. Renaming the file would take those away, so it is left alone. Move the one entry into a file of its own, or comment it out, by hand.", file, what[2:]),
		})
	}
	return findings
}

// renaming says what becomes of a file.
func renaming(file string) string {
	return fmt.Sprintf("rename %s to %s.disabled (if that exists: %s.1.disabled, and so on)", file, file, file)
}

// rename moves a file to a free name that apt and dnf pass over in silence.
func rename(file string) stage.Step {
	return stage.Step{Title: renaming(file), Script: posixsh.Words("set", "--", file) + `
to=$1.disabled n=0
while [ -e "$to" ] || [ -h "$to" ]; do
  n=$((n + 1))
  to=$1.$n.disabled
done
mv -T -- "$1" "$to"
echo "$1 is now $to"
`}
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
