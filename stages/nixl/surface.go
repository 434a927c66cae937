package nixl

import (
	"strings"

	"github.com/pdprov/pdprov/internal/hostfile"
	"github.com/pdprov/pdprov/stages/stage"
)

// Paths of the surface beside proof.MEMORY.OPERATION.
const (
	nixlPath   = "nixl"
	pluginPath = "plugin.UCX"
	filePath   = "env_file"
	modePath   = "env_file.mode"
	proofPath  = "proof."
	peerPrefix = "peer."
	fileMode   = "0644"
)

// Want is NIXL with its plugin, the file for units, and every proof that is asked for.
func (Kind) Want(in stage.Instance, f stage.Facts) (stage.Surface, []stage.Finding) {
	w := read(in)
	seen := w.see(f)
	s := stage.Surface{nixlPath: stage.SomeValue(), pluginPath: stage.SomeValue()}
	if w.envFile != "" {
		s[filePath], s[modePath] = hostfile.Content(w.envText(), false), stage.Is(fileMode)
	}
	for _, memory := range []string{dram, vram} {
		if !w.asks(memory) {
			continue
		}
		v := stage.Is(passed)
		v.Of = hostfile.Digest([]byte(strings.Join(w.said(), "\n")))[:8]
		if memory == vram && !w.moves(vram, seen) {
			v = stage.Nothing()
		}
		for _, key := range w.keys(memory) {
			s[proofPath+key] = v
		}
	}
	return s, w.findings(in, seen, f)
}

// keys are the proofs of one kind of memory: "dram.write", "peer.dram.write".
func (w wish) keys(memory string) (keys []string) {
	for _, op := range operations {
		keys = append(keys, memory+"."+op)
		if w.there != nil {
			keys = append(keys, peerPrefix+memory+"."+op)
		}
	}
	return keys
}

// moves says whether a kind of memory is to be moved on this host.
func (w wish) moves(memory string, s sight) bool {
	switch {
	case memory == dram, w.memory != nil:
		return w.asks(memory)
	}
	return s.box.Count.State == stage.Present && s.box.Count.Text != "0" && s.env.Torch.CUDA != ""
}

// mayMove is why it is not known whether GPU memory is to be moved, nil where it is.
func (w wish) mayMove(s sight) *stage.Value {
	if w.memory == nil && s.box.Count.State == stage.Unknown {
		return &s.box.Count
	}
	return nil
}

// Have is what the files and the last proof say.
func (Kind) Have(in stage.Instance, f stage.Facts) stage.Surface {
	w := read(in)
	seen := w.see(f)
	s := stage.Surface{}
	w.haveFile(f, s)
	w.haveHost(f, seen, s)
	if seen.doubt != nil {
		s[nixlPath], s[pluginPath] = *seen.doubt, *seen.doubt
	} else {
		s[nixlPath], s[pluginPath] = seen.nixl(), seen.plugin()
		seen.shown(s)
	}
	r, unknown := w.result(f)
	now, doubt := w.inputs(seen)
	r.shown(s)
	w.served(f, s)
	for _, memory := range []string{dram, vram} {
		for _, key := range w.keys(memory) {
			switch why := w.mayMove(seen); {
			case memory == vram && why != nil:
				s[proofPath+key] = *why
			case unknown != nil:
				s[proofPath+key] = *unknown
			case doubt != nil:
				s[proofPath+key] = *doubt
			case !w.moves(memory, seen):
				s[proofPath+key] = stage.Nothing()
			default:
				s[proofPath+key] = r.value(key, w.gates[key], now)
			}
		}
	}
	return s
}

func (w wish) haveFile(f stage.Facts, s stage.Surface) {
	if w.envFile == "" {
		return
	}
	p := w.fileProbe()
	seen := hostfile.Read(p, f)
	switch {
	case seen.Type == "":
		v := stage.Value{Reason: seen.Reason, Probe: p.ID}
		s[filePath], s[modePath] = v, v
	case !seen.There():
		s[filePath], s[modePath] = stage.Nothing(), stage.Nothing()
	case seen.Type != hostfile.File:
		s[filePath], s[modePath] = stage.Is("a "+string(seen.Type)), stage.Nothing()
	default:
		s[filePath] = seen.Content(w.envText(), false, p.ID)
		s[modePath] = stage.Is(seen.Mode)
	}
}

// nixl is the version of the wheel that is picked.
func (s sight) nixl() stage.Value {
	name, _ := s.pieces.picked(s.env.Torch)
	dists := s.env.Dists[strings.ReplaceAll(name, "_", "-")]
	switch {
	case name == "":
		return stage.Nothing()
	case len(dists) == 0:
		return stage.Is(name + " (its version is not known: no dist-info)")
	}
	return stage.Is(strings.ReplaceAll(name, "_", "-") + " " + dists[0].Version)
}

func (s sight) plugin() stage.Value {
	t := s.pieces.loaded(s.env.Torch)
	if !t.brings(plugin) {
		return stage.Nothing()
	}
	return stage.Is(t.folder + "/" + plugin)
}

// shown are facts about the environment.
func (s sight) shown(out stage.Surface) {
	for _, name := range s.dists() {
		out["dist."+name] = stage.Is(s.env.Dists[name][0].Version)
	}
	if s.env.Torch.There {
		out["torch"] = stage.Is(s.env.Torch.Version)
	}
	t := s.pieces.loaded(s.env.Torch)
	out["ucx.library"], out["ucx.installed_modules"] = stage.Nothing(), stage.Nothing()
	if t.ucx() != "" {
		out["ucx.library"] = stage.Is(t.ucx())
	}
	if len(t.modules) > 0 {
		out["ucx.installed_modules"] = stage.Is(strings.Join(t.moduleNames(), " "))
	}
}
