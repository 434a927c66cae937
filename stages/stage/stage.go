// Package stage is the contract between a kind of stage and the engine: what a
// kind asks of a host, what it wants, what it sees, and what would have to be
// done. It has no effects, and neither has anything that implements it.
package stage

import (
	"sort"
	"strings"
)

// Kind is one kind of stage ("package", "file", "unit"). Every method is a pure
// function of its arguments: the same input gives the same output, byte for
// byte. A kind never opens a file or a connection and never reads a clock.
type Kind interface {
	// Name is the word after `stage` in a plan file.
	Name() string
	// Summary is one sentence for people, shown by the documentation.
	Summary() string
	// Schema lists the attributes that a block of this kind takes.
	Schema() []Attr
	// Validate looks at the configuration alone, so it works offline.
	Validate(in Instance) []Finding
	// Probes lists the questions whose answers Want, Have and Work read.
	Probes(in Instance) []Probe
	// Want is the surface that the configuration asks for. It may read facts
	// (which package version is on offer), never to make the wish smaller.
	Want(in Instance, f Facts) (Surface, []Finding)
	// Have is the surface that the host shows. What could not be looked at is
	// Unknown with its evidence, never Absent. Paths that Want lacks are shown
	// by audit as installed state and are not compared.
	Have(in Instance, f Facts) Surface
	// Work is what turns Have into Want for the changes given. It is asked only
	// when there is at least one change and none of them is blocked.
	Work(in Instance, f Facts, changes []Change) (Work, []Finding)
}

// Kinds is the list of kinds that one build of pdprov knows.
type Kinds []Kind

// Lookup finds a kind by its name.
func (ks Kinds) Lookup(name string) (Kind, bool) {
	for _, k := range ks {
		if k.Name() == name {
			return k, true
		}
	}
	return nil, false
}

// Names lists the names of the kinds in alphabetical order.
func (ks Kinds) Names() []string {
	names := make([]string, 0, len(ks))
	for _, k := range ks {
		names = append(names, k.Name())
	}
	sort.Strings(names)
	return names
}

// Host is what a kind may know of the host that it describes.
type Host struct {
	Name        string
	Address     string
	Labels      map[string]string
	Environment map[string]string
}

// Instance is one stage on one host, with the stages that it refers to.
type Instance struct {
	Addr   string // "file.motd", "module.x.file.motd", `file.motd["a"]`
	Host   Host
	Config Config
	// Refs holds, by address, every stage that Config refers to, and those that these refer to.
	Refs map[string]Referred
	// Pending holds the addresses of dependencies that this plan changes on the
	// same host; what they write has not happened yet.
	Pending map[string]bool
	// Ignore lists the surface paths that are not compared, and so not changed either.
	Ignore []string
	// Deep asks for what takes long to look at, such as reading every installed file.
	Deep bool
}

// Ignored says whether a path is listed, or lies below a listed "prefix.*".
func Ignored(path string, ignore []string) bool {
	for _, p := range ignore {
		if p == path || strings.HasSuffix(p, "*") && strings.HasPrefix(path, strings.TrimSuffix(p, "*")) {
			return true
		}
	}
	return false
}

// Referred is a stage that another one refers to.
type Referred struct {
	Kind   string
	Config Config
}

// Finding is something wrong with a stage, said by attribute path. The engine
// finds the file and line that belong to the path.
type Finding struct {
	Severity Severity
	Path     string // `packages["jq"]`, "archs[0]"; "" is the whole block
	Summary  string // short, no user values in it
	Detail   string // full sentences: what, why, what to do
}

// Severity of a finding.
type Severity int

// An Error stops the plan, a Warning is shown.
const (
	Error Severity = iota
	Warning
)

// Work is what has to be done for one stage on one host.
type Work struct {
	Steps  []Step
	Impact Impact
	// ImpactOn names what the impact hits: "web.service", "port 8000".
	ImpactOn string
	// Writes names what the steps change, so that answers read from the same
	// resources count as stale.
	Writes []Resource
	// Locks names what cannot be shared while the steps run: "apt", "gpu",
	// "disk", "net", "cpu".
	Locks []string
	// TimeoutSeconds bounds the whole work; 0 is the engine's default.
	TimeoutSeconds int
	// Partner is what another host does while the steps run, nil for nothing.
	Partner *Partner
}

// Partner is work of another host beside the steps of a stage: it listens for them. The
// engine starts it before them and ends it after them. Both find the same secret of this
// one apply in $PDPROV_PARTNER.
type Partner struct {
	Stage          string // that the stage refers to; its one host does the work
	Steps          []Step
	TimeoutSeconds int // after which it ends by itself, also where nobody can end it
}

// Step is one piece of sh text that changes the host. It runs as root under
// `set -eu` with LC_ALL=C, umask 022, HOME=/root, and "$PDPROV_FILES" naming the
// folder that holds Files. Data enters Script only through internal/posixsh or
// through Files.
type Step struct {
	Title  string
	Script string
	Files  []File
	Env    map[string]string
}

// File is data that travels with a step. It is kept with mode 0600 on the host
// and removed when the job has ended.
type File struct {
	Name string // a plain name, no slash
	Data []byte
}

// Impact is what a change does to those who use the host.
type Impact int

// Impacts in the order of their weight. For Reboot the engine reboots the host after the
// steps, of which there may be none, and looks again only then: no step reboots.
const (
	NoImpact Impact = iota
	Restart
	Downtime
	Reboot
)

func (i Impact) String() string {
	return [...]string{"none", "restart", "downtime", "reboot"}[i]
}
