package packages

import (
	"github.com/pdprov/pdprov/stages/stage"
)

// apt is the package manager of Debian and Ubuntu.
type apt struct{}

func (apt) name() string           { return "apt" }
func (apt) fits(ids []string) bool { return anyOf(ids, "debian", "ubuntu") }

const (
	dpkgID    = "dpkg:"
	dpkgLogID = "dpkg.log:"
)

// dpkgScript prints tab-separated records. dpkg-query says "no packages found
// matching NAME" on stderr and exits 1; so it does for many other troubles, so its
// words and its exit status are passed on and judged by parseDpkg. apt-cache is not
// asked whether a name is virtual: it would write its cache, and a look writes
// nothing.
const dpkgScript = `command -v dpkg-query >/dev/null || exit 66
arch=$(dpkg --print-architecture) || exit 1
printf 'arch\t%s\n' "$arch"
exec 3>&1
rc=0
err=$(dpkg-query -W -f='row\t${Package}\t${Architecture}\t${db:Status-Abbrev}\t${Version}\n' -- "$@" 2>&1 >&3 3>&-) || rc=$?
while IFS= read -r line; do
  if [ -n "$line" ]; then printf 'err\t%s\n' "$line"; fi
done <<END_OF_ERR
$err
END_OF_ERR
printf 'exit\t%s\n' "$rc"
`

func (apt) probes(w wish) []stage.Probe {
	var probes []stage.Probe
	asked := map[string]bool{}
	for _, name := range w.all() {
		b := base(name)
		if asked[b] {
			continue
		}
		asked[b] = true
		p := stage.Probe{Args: []string{b}, Merge: true, Reads: []stage.Resource{resource(b)}, TimeoutSeconds: 20}
		p.ID, p.Script = dpkgID+b, dpkgScript
		probes = append(probes, p)
		p.ID, p.Script = dpkgLogID+b, dpkgLogScript
		probes = append(probes, p)
	}
	return probes
}

// seen is one package in the answer of dpkg-query.
func (apt) seen(name string, f stage.Facts) installed {
	id := dpkgID + base(name)
	a := f.Get(id)
	switch {
	case a.Outcome == stage.Absent:
		return allUnknown(stage.Value{Reason: "the host has no dpkg-query", Probe: id})
	case !a.Looked():
		return allUnknown(a.Unknown(id))
	}
	db, err := parseDpkg(a.Body)
	if err != nil {
		return allUnknown(stage.Value{Reason: err.Error(), Probe: id})
	}
	p, err := db.find(name)
	if err != nil {
		return allUnknown(stage.Value{Reason: err.Error(), Probe: id})
	}
	p.version.By = lastInLog(f.Get(dpkgLogID+base(name)), name, p.version)
	return p
}
