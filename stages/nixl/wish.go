package nixl

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdprov/pdprov/internal/pyenv"
	"github.com/pdprov/pdprov/stages/stage"
)

// Kinds of memory and operations.
const (
	dram = "dram"
	vram = "vram"
)

var operations = []string{"write", "read"}

// wish is a decoded block.
type wish struct {
	addr      string
	venv      string // path of the environment
	env       map[string]string
	envFile   string
	memory    []string // nil leaves it to what the host has
	bytes     int64
	repeats   int
	gates     map[string]float64 // by "vram.write"
	pairs     [][2]string        // of UUIDs; nil takes the first and the last GPU
	peer      string             // address of the stage on the other host, "" for none
	there     *wish              // what that stage says
	address   string             // where this stage's host listens for others
	port      int
	systemUCX bool
	stall     time.Duration
	timeout   time.Duration
}

// defaultGates hold where the block says nothing: below it GPU memory did not go from GPU
// to GPU.
var defaultGates = map[string]float64{"vram.write": 25}

// read decodes what Validate has let pass.
func read(in stage.Instance) wish {
	c := in.Config
	w := wish{
		addr: in.Addr, venv: pyenv.PathOf(in), env: c.Map("env"), envFile: c.Text("env_file"), memory: c.List("memory"),
		repeats: int(c.Number("repeats")), gates: maps.Clone(defaultGates), systemUCX: c.Bool("system_ucx"),
	}
	w.peer, w.address, w.port = c.Text("peer"), c.Text("address"), int(c.Number("port"))
	if r, ok := in.Refs[w.peer]; ok {
		there := read(stage.Instance{Addr: w.peer, Config: r.Config, Refs: in.Refs})
		w.there = &there
	}
	w.bytes, _ = parseSize(c.Text("size"))
	w.stall, _ = time.ParseDuration(c.Text("stall"))
	w.timeout, _ = time.ParseDuration(c.Text("timeout"))
	for name, text := range c.Map("min_gbps") {
		w.gates[name], _ = strconv.ParseFloat(text, 64)
	}
	for _, text := range c.List("gpu_pairs") {
		if ids := strings.Fields(text); len(ids) == 2 {
			w.pairs = append(w.pairs, [2]string{ids[0], ids[1]})
		}
	}
	return w
}

// asks says whether the block names a kind of memory; where it names none, whether the
// host may decide about it.
func (w wish) asks(memory string) bool { return w.memory == nil || slices.Contains(w.memory, memory) }

// slug names the stage in a file name.
func (w wish) slug() string {
	sum := sha256.Sum256([]byte(w.addr))
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '.' {
			return r
		}
		return '-'
	}, w.addr)
	return name[:min(len(name), 60)] + "-" + hex.EncodeToString(sum[:4])
}

const resultFolder = "/var/lib/pdprov/nixl/"

func (w wish) resultPath() string { return resultFolder + w.slug() + ".json" }

// servedPath is where the host of a stage keeps what another one moved to it and from it.
func (w wish) servedPath(from, host string) string {
	return resultFolder + w.slug() + ".for." + wish{addr: from + " of " + host}.slug() + ".json"
}

// envText is env as systemd's EnvironmentFile= reads it.
func (w wish) envText() []byte {
	var b strings.Builder
	b.WriteString("# Written by pdprov for " + w.addr + "\n")
	for _, name := range slices.Sorted(maps.Keys(w.env)) {
		b.WriteString(name + "=\"" + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(w.env[name]) + "\"\n")
	}
	return []byte(b.String())
}

// parseSize reads "64MiB" and "1GiB".
func parseSize(text string) (int64, bool) {
	for suffix, unit := range map[string]int64{"MiB": 1 << 20, "GiB": 1 << 30} {
		if digits, ok := strings.CutSuffix(text, suffix); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 32)
			return n * unit, err == nil && n > 0 && n*unit <= 64<<30
		}
	}
	return 0, false
}
