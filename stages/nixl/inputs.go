package nixl

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pdprov/pdprov/internal/gpu"
	"github.com/pdprov/pdprov/internal/hostfile"
	"github.com/pdprov/pdprov/internal/pyenv"
	"github.com/pdprov/pdprov/stages/stage"
)

// sight is what a host shows of all that a stage is about.
type sight struct {
	env    pyenv.Env
	pieces pieces
	box    gpu.Box
	doubt  *stage.Value // why environment or pieces are not known
}

func (w wish) see(f stage.Facts) sight {
	var s sight
	var doubt *stage.Value
	s.env, s.doubt = pyenv.Read(w.venv, f)
	if s.pieces, doubt = w.pieces(f); s.doubt == nil {
		s.doubt = doubt
	}
	s.box = gpu.Read(f)
	return s
}

// dists are the distributions of NIXL by their names; other ones may load it and do not
// change it.
func (s sight) dists() (names []string) {
	for _, name := range []string{"nixl", "nixl-cu12", "nixl-cu13"} {
		if len(s.env.Dists[name]) > 0 {
			names = append(names, name)
		}
	}
	return names
}

// inputs are what a proof holds for: another one of them, and it must be made again. A
// reboot is none.
func (w wish) inputs(s sight) (list []string, doubt *stage.Value) {
	if s.doubt != nil {
		return nil, s.doubt
	}
	if v := s.box.Driver.Loaded; v.State == stage.Unknown {
		return nil, &v
	}
	for _, name := range s.dists() {
		for _, d := range s.env.Dists[name] {
			list = append(list, fmt.Sprintf("%s %s (%s)", name, d.Version, hostfile.Digest([]byte(d.Identity))[:12]))
		}
	}
	t := s.pieces.loaded(s.env.Torch)
	list = append(list, "libraries "+t.digest())
	if s.env.Torch.There {
		list = append(list, "torch "+s.env.Torch.Version)
	}
	driver := "none"
	if v := s.box.Driver.Loaded; v.State == stage.Present {
		driver = v.Text
	}
	list = append(list, "driver "+driver)
	pairs, doubt := w.gpus(s)
	if doubt != nil {
		return nil, doubt
	}
	for _, p := range pairs {
		list = append(list, "GPUs "+p[0]+" "+p[1])
	}
	return append(list, w.said()...), nil
}

// said are the inputs that the plan says.
func (w wish) said() []string {
	list := append([]string{"environment " + w.venv, fmt.Sprintf("size %d", w.bytes)}, variables("variable ", w.env)...)
	if w.there != nil {
		list = append(list, fmt.Sprintf("peer %s at %s port %d with %s", w.peer, w.there.address, w.there.port, w.there.venv))
		list = append(list, variables("variable of the peer ", w.there.env)...)
	}
	return list
}

func variables(what string, env map[string]string) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, what+name+"="+env[name])
	}
	return list
}

// gpus are the pairs between which GPU memory is moved, or why they are not known.
func (w wish) gpus(s sight) (pairs [][2]string, doubt *stage.Value) {
	if !w.moves(vram, s) {
		return nil, nil
	}
	if w.pairs != nil {
		return w.pairs, nil
	}
	gpus := s.box.GPUs
	switch {
	case len(gpus) == 0 && s.box.Count.State == stage.Unknown:
		return nil, &s.box.Count
	case len(gpus) == 0:
		return nil, nil
	}
	first, last := gpus[0].UUID, gpus[len(gpus)-1].UUID
	for _, v := range []stage.Value{first, last} {
		if v.State != stage.Present {
			return nil, &v
		}
	}
	return [][2]string{{first.Text, last.Text}}, nil
}

// moved says in words what a proof was made with and what is there now.
func moved(then, now []string) string {
	lacks := func(list, of []string) (out []string) {
		for _, x := range of {
			if !slices.Contains(list, x) {
				out = append(out, x)
			}
		}
		return out
	}
	gone, came := lacks(now, then), lacks(then, now)
	switch {
	case len(gone) == 0 && len(came) == 0:
		return ""
	case len(gone) == 0:
		return "made without " + strings.Join(came, ", ")
	case len(came) == 0:
		return "made with " + strings.Join(gone, ", ")
	}
	return "made with " + strings.Join(gone, ", ") + "; now " + strings.Join(came, ", ")
}
