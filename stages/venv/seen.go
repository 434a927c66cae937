package venv

import (
	"fmt"
	"path"
	"strings"

	"github.com/pdprov/pdprov/internal/record"
	"github.com/pdprov/pdprov/stages/stage"
)

// look is what a host shows of one environment and of the tools to make it.
type look struct {
	uv     bool
	base   string // real path of the wanted interpreter, "" when missing
	nopip  string // library folder of base, where it lacks ensurepip
	target string // what the link says, "" when there is none
	alive  bool   // the environment's python can be started
	config map[string]string
	stamp  stamp
	dists  map[string][]dist // by normalised name
}

// dist is one distribution as it lies in site-packages.
type dist struct {
	version  string
	identity string // digest of RECORD and METADATA, as the stamp has it
	broken   string // what is missing, "" when whole
}

// stamp is what pdprov wrote into an environment when it was complete.
type stamp struct {
	lock  string            // sha256 in hex
	dists map[string]string // folder name -> identity
}

func readLook(p stage.Probe, f stage.Facts) (look, *stage.Value) {
	a := f.Get(p.ID)
	if a.Outcome != stage.Answered {
		if a.Outcome == stage.Absent {
			a.Detail = "the look ended with a status that it never gives"
		}
		v := a.Unknown(p.ID)
		return look{}, &v
	}
	records, err := record.Parse(a.Body)
	if err == nil {
		var l look
		if l, err = arrange(records); err == nil {
			return l, nil
		}
	}
	return look{}, &stage.Value{State: stage.Unknown, Reason: "the answer makes no sense: " + err.Error(), Probe: p.ID}
}

func arrange(records []record.Record) (look, error) {
	l := look{config: map[string]string{}, dists: map[string][]dist{}}
	var items, files, sums []string
	ended := false
	for _, r := range records {
		switch r.Name {
		case "uv":
			l.uv = r.Data == "yes"
		case "base":
			l.base = r.Data
		case "nopip":
			l.nopip = r.Data
		case "target":
			l.target = r.Data
		case "python":
			l.alive = true
		case "config":
			l.config = config(r.Data)
		case "stamp":
			l.stamp = readStamp(r.Data)
		case "item":
			items = append(items, r.Data)
		case "file":
			files = append(files, r.Data)
		case "sums":
			sums = append(sums, strings.Split(r.Data, "\n")...)
		case "end":
			ended = true
		default:
			return look{}, fmt.Errorf("unknown record %.20q", r.Name)
		}
	}
	if !ended {
		return look{}, fmt.Errorf("its end is missing")
	}
	return l, l.fill(items, files, sums)
}

// config reads pyvenv.cfg: "key = value" lines.
func config(text string) map[string]string {
	c := map[string]string{}
	for line := range strings.Lines(text) {
		if key, value, ok := strings.Cut(line, "="); ok {
			c[strings.TrimSpace(key)] = strings.TrimSpace(value)
		}
	}
	return c
}

// readStamp reads lines "lock HEX" and "dist IDENTITY FOLDER".
func readStamp(text string) stamp {
	s := stamp{dists: map[string]string{}}
	for line := range strings.Lines(text) {
		word, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch word {
		case "lock":
			s.lock = rest
		case "dist":
			identity, folder, _ := strings.Cut(rest, " ")
			s.dists[folder] = identity
		}
	}
	return s
}

// fill gives each folder its digests; sha256sum prints one line for each file, in
// the order in which the files were said.
func (l *look) fill(items, files, sums []string) error {
	has := map[string]string{} // "folder/RECORD" -> digest
	i := 0
	for _, f := range files {
		if strings.HasSuffix(f, "/INSTALLER") {
			has[f] = "there"
			continue
		}
		if i >= len(sums) {
			return fmt.Errorf("sha256sum gave %d lines, too few", len(sums))
		}
		sum, _, _ := strings.Cut(strings.TrimPrefix(sums[i], `\`), " ")
		if len(sum) != 64 {
			return fmt.Errorf("sha256sum said %.100q", sums[i])
		}
		has[f] = sum
		i++
	}
	if i != len(sums) {
		return fmt.Errorf("sha256sum gave %d lines for %d files", len(sums), i)
	}
	for _, item := range items {
		name, d := distOf(item, has)
		l.dists[name] = append(l.dists[name], d)
	}
	return nil
}

// distOf reads a folder's name: NAME-VERSION.dist-info.
func distOf(item string, has map[string]string) (string, dist) {
	suffix := path.Ext(item)
	name, version, _ := strings.Cut(strings.TrimSuffix(item, suffix), "-")
	if suffix != ".dist-info" {
		return normal(name), dist{version: strings.TrimSpace(version + " (" + strings.TrimPrefix(suffix, ".") + ")")}
	}
	d := dist{version: version, identity: has[item+"/RECORD"] + ":" + has[item+"/METADATA"]}
	for _, file := range []string{"METADATA", "RECORD", "INSTALLER"} {
		if has[item+"/"+file] == "" {
			d.broken = "broken: " + item + " has no " + file
		}
	}
	return normal(name), d
}
