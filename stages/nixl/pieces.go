package nixl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pdprov/pdprov/internal/hostfile"
	"github.com/pdprov/pdprov/internal/pyenv"
	"github.com/pdprov/pdprov/internal/record"
	"github.com/pdprov/pdprov/stages/stage"
)

// file is a library and its size in bytes.
type file struct{ name, size string }

// tree is one NIXL wheel as it lies in site-packages.
type tree struct {
	folder                 string // of the plugins, "" where there is none
	plugins, libs, modules []file
}

// pieces are the files that NIXL loads.
type pieces struct {
	trees     map[string]tree // by "nixl_cu13"
	override  string          // NIXL_PLUGIN_DIR
	overTree  tree
	moduleDir string // UCX_MODULE_DIR
	modules   []file // in it
}

func (w wish) pieces(f stage.Facts) (pieces, *stage.Value) {
	probe := w.piecesProbe()
	a := f.Get(probe.ID)
	if a.Outcome != stage.Answered {
		v := a.Unknown(probe.ID)
		return pieces{}, &v
	}
	p, err := parsePieces(a.Body)
	if err != nil {
		return pieces{}, &stage.Value{Reason: "the answer makes no sense: " + err.Error(), Probe: probe.ID}
	}
	return p, nil
}

func parsePieces(body []byte) (pieces, error) {
	p := pieces{trees: map[string]tree{}}
	items, err := record.Items(body)
	if err != nil {
		return p, err
	}
	for _, it := range items {
		t, err := treeOf(it)
		if err != nil {
			return p, err
		}
		switch it.Name {
		case "tree":
			p.trees[it.Data] = t
		case "override":
			p.override, p.overTree = it.Data, t
		case "moduledir":
			p.moduleDir, p.modules = it.Data, t.modules
		default:
			return p, fmt.Errorf("%.40q is no part of the answer", it.Name)
		}
	}
	return p, nil
}

func treeOf(it record.Item) (t tree, err error) {
	t.folder = it.Fields["folder"]
	for name, to := range map[string]*[]file{"plugins": &t.plugins, "libs": &t.libs, "modules": &t.modules} {
		names, sizes := strings.Fields(it.Fields[name]), strings.Fields(it.Fields[name+"-sizes"])
		if len(names) != len(sizes) {
			return t, fmt.Errorf("%d sizes for %d files", len(sizes), len(names))
		}
		for i := range names {
			*to = append(*to, file{names[i], sizes[i]})
		}
	}
	return t, nil
}

// picked is the tree that import nixl takes: that of torch's CUDA, else cu13 before cu12.
func (p pieces) picked(torch pyenv.Torch) (name string, t tree) {
	wanted := []string{"nixl_cu13", "nixl_cu12"}
	if m := torch.Major(); m != "" {
		wanted = []string{"nixl_cu" + m}
	}
	for _, name := range wanted {
		if t, ok := p.trees[name]; ok {
			return name, t
		}
	}
	return "", tree{}
}

// loaded is the picked tree with what the environment puts in the place of its folders.
func (p pieces) loaded(torch pyenv.Torch) tree {
	_, t := p.picked(torch)
	if p.override != "" {
		t.folder, t.plugins = p.overTree.folder, p.overTree.plugins
	}
	if p.moduleDir != "" {
		t.modules = p.modules
	}
	return t
}

const plugin = "libplugin_UCX.so"

// brings says whether a plugin is there.
func (t tree) brings(name string) bool {
	return slices.ContainsFunc(t.plugins, func(f file) bool { return f.name == name })
}

// ucx is the library of UCX that the wheel brings.
func (t tree) ucx() string {
	for _, f := range t.libs {
		if strings.HasPrefix(f.name, "libucp") {
			return f.name
		}
	}
	return ""
}

// moduleNames are the transports of UCX that lie beside it: "cma", "cuda".
func (t tree) moduleNames() (names []string) {
	for _, f := range t.modules {
		name, _, _ := strings.Cut(strings.TrimPrefix(f.name, "libuct_"), ".")
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// digest tells one set of files from another.
func (t tree) digest() string {
	var b strings.Builder
	for _, list := range [][]file{t.plugins, t.libs, t.modules} {
		for _, f := range list {
			fmt.Fprintf(&b, "%s %s\n", f.name, f.size)
		}
		b.WriteString("\n")
	}
	return hostfile.Digest([]byte(b.String()))[:12]
}
