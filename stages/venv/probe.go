package venv

import (
	"fmt"

	"github.com/pdprov/pdprov/internal/hostfile"
	"github.com/pdprov/pdprov/internal/pyenv"
	"github.com/pdprov/pdprov/internal/record"
	"github.com/pdprov/pdprov/stages/stage"
)

// Probes asks what the link is, what the environment behind it holds, and what there is
// to make another one with.
func (Kind) Probes(in stage.Instance) []stage.Probe {
	w := read(in.Config)
	return []stage.Probe{hostfile.Stat(w.path), pyenv.Probe(w.path), toolsProbe(w), pyenv.FilesProbe(w.path, in.Deep)}
}

// toolsProbe asks for uv and for the wanted interpreter. The packages that these may come
// from are read, so that a package stage for one of them comes first.
func toolsProbe(w wish) stage.Probe {
	return stage.Probe{
		ID:     "python " + w.command(),
		Script: findTools,
		Args:   []string{w.command()},
		Reads: []stage.Resource{
			"package:python3", "package:python3-venv", "package:uv",
			stage.Resource("package:" + w.command()), stage.Resource("package:" + w.command() + "-venv"),
		},
	}
}

const findTools = record.Say + `
python=$1
PATH=$PATH:/usr/local/bin:/root/.local/bin
uv=
! command -v uv >/dev/null || uv=yes
say uv "$uv"
base=$(command -v "$python") || base=
if [ -n "$base" ]; then
  base=$(readlink -f -- "$base") || exit 1
  say base "$base"
  lib=${base%/bin/*}/lib/${base##*/}
  # Debian ships the interpreter without the module that a venv's pip comes from.
  if [ -f "$lib/os.py" ] && [ ! -d "$lib/ensurepip" ]; then
    say nopip "$lib"
  fi
fi
say end ''
`

// tools are what a host has to make environments with.
type tools struct {
	uv    bool
	base  string // real path of the wanted interpreter, "" when missing
	nopip string // library folder of base, where it lacks ensurepip
}

func readTools(w wish, f stage.Facts) (tools, *stage.Value) {
	p := toolsProbe(w)
	a := f.Get(p.ID)
	if a.Outcome != stage.Answered {
		if a.Outcome == stage.Absent {
			a.Detail = "the look ended with a status that it never gives"
		}
		v := a.Unknown(p.ID)
		return tools{}, &v
	}
	t, err := parseTools(a.Body)
	if err != nil {
		return tools{}, &stage.Value{State: stage.Unknown, Reason: "the answer makes no sense: " + err.Error(), Probe: p.ID}
	}
	return t, nil
}

func parseTools(body []byte) (t tools, err error) {
	items, err := record.Items(body)
	for _, r := range items {
		switch r.Name {
		case "uv":
			t.uv = r.Data == "yes"
		case "base":
			t.base = r.Data
		case "nopip":
			t.nopip = r.Data
		default:
			return tools{}, fmt.Errorf("unknown record %.20q", r.Name)
		}
	}
	return t, err
}
