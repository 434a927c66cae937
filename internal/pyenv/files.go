package pyenv

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/pdprov/pdprov/internal/record"
	"github.com/pdprov/pdprov/stages/stage"
)

// Files says how the files of an environment compare with the RECORDs of its dists.
type Files struct {
	Off     []Off
	More    int      // files beside those in Off that are not as installed
	Unowned []string // top entries of site-packages that no RECORD names
}

// Off is a file that is not as its RECORD says.
type Off struct {
	Missing bool // else its size, or in a deep look its hash, is another one
	Dist    string
	Path    string // relative to site-packages
}

// String names the file for people.
func (o Off) String() string {
	if o.Missing {
		return fmt.Sprintf("missing file %s of %s", o.Path, o.Dist)
	}
	return fmt.Sprintf("patched file %s of %s", o.Path, o.Dist)
}

// FilesProbe compares sizes, and in a deep look hashes, of all files of all dists with
// their RECORDs: a fraction of a second for sizes, and for hashes the time to read
// everything (20 GB in a minute or more).
func FilesProbe(path string, deep bool) stage.Probe {
	p := stage.Probe{
		ID: "pyenv files " + path, Script: filesScript, Args: []string{path, ""},
		TimeoutSeconds: 60, MaxBytes: 1 << 20, Reads: Reads(path),
	}
	if deep {
		p.ID, p.Args[1], p.TimeoutSeconds = "pyenv hashes "+path, "deep", 20*60
	}
	return p
}

var filesScript = record.Say + Compare + `
path=$1
tab=$(printf '\t')
line='
'
say start ''
for site in "$path"/lib/python3*/site-packages; do
  [ -d "$site" ] || continue
  cd -P -- "$site" || exit 1
  off=$(compare "$2" 200 "$path/pdprov.known") || exit 1
  case ${off##*"$line"} in
  "count$tab-$tab"*) ;;
  *)
    echo "the files of $site were not compared: awk did not come to its end" >&2
    exit 1
    ;;
  esac
  while IFS=$tab read -r what dist file; do
    case $what in
    missing)
      if [ -e "$file" ]; then
        echo "stat says nothing of $file, which is there" >&2
        exit 1
      fi
      ;;
    unread)
      echo "$file of $dist cannot be read" >&2
      exit 1
      ;;
    esac
    say "$what" "$file"
    say .dist "$dist"
  done <<OFF
$off
OFF
done
say end ''
`

// Compare is the sh function compare DEEP MAX KNOWN, run in site-packages. It prints, with
// tabs between, "missing DIST PATH", "other DIST PATH", "unread DIST PATH" and "unowned ”
// NAME", and last "count - COUNT": how many files were off, of which MAX are printed. Rows
// without a size are not compared, nor what Python compiles. A path that two dists claim
// is right when it is as one of them says, and one in KNOWN always: some wheels have a
// RECORD that was wrong when they were installed.
//
//go:embed compare.sh
var Compare string

// ReadFiles is how the files compare, or the value that says why it is not known.
func ReadFiles(path string, deep bool, f stage.Facts) (Files, *stage.Value) {
	return answered(FilesProbe(path, deep), f, compared)
}

func compared(items []record.Item) (Files, error) {
	var f Files
	printed := 0
	for _, r := range items {
		switch r.Name {
		case "start":
		case "missing", "other":
			name, version, _ := strings.Cut(r.Fields["dist"], "-")
			f.Off = append(f.Off, Off{r.Name == "missing", strings.TrimSpace(Normal(name) + " " + version), r.Data})
			printed++
		case "unowned":
			f.Unowned = append(f.Unowned, r.Data)
		case "count":
			var count int
			if _, err := fmt.Sscanf(r.Data, "%d", &count); err != nil || count < printed {
				return Files{}, fmt.Errorf("%.40q is no count of files", r.Data)
			}
			f.More += count - printed
			printed = 0
		default:
			return Files{}, fmt.Errorf("unknown record %.20q", r.Name)
		}
	}
	return f, nil
}
