package pyenv

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/pdprov/pdprov/internal/record"
	"github.com/pdprov/pdprov/stages/stage"
)

// Read is the environment at a path, or the value that says why it is not known. A path
// at which nothing lies gives an Env that is not There.
func Read(path string, f stage.Facts) (Env, *stage.Value) {
	return answered(Probe(path), f, arrange)
}

// answered is what parse makes of the answer to p, or the value that says why there is none.
func answered[T any](p stage.Probe, f stage.Facts, parse func([]record.Item) (T, error)) (T, *stage.Value) {
	var none T
	a := f.Get(p.ID)
	if a.Outcome != stage.Answered {
		if a.Outcome == stage.Absent {
			a.Detail = "the look ended with a status that it never gives"
		}
		v := a.Unknown(p.ID)
		return none, &v
	}
	items, err := record.Items(a.Body)
	if err == nil {
		var t T
		if t, err = parse(items); err == nil {
			return t, nil
		}
	}
	return none, &stage.Value{State: stage.Unknown, Reason: "the answer makes no sense: " + err.Error(), Probe: p.ID}
}

func arrange(items []record.Item) (Env, error) {
	e := Env{Added: map[string]Stamp{}, Dists: map[string][]Dist{}}
	var dists []record.Item
	var sums []string
	for _, r := range items {
		switch r.Name {
		case "target":
			e.Target = r.Data
		case "python":
			e.Alive = true
		case "config":
			e.Config = config(r.Data)
		case "stamp":
			e.Stamp = readStamp(r.Data)
		case "added":
			addr, err := url.PathUnescape(r.Data)
			if err != nil {
				return Env{}, fmt.Errorf("%s/%.80s is not named after a stage: %w", AddedFolder, r.Data, err)
			}
			e.Added[addr] = readStamp(r.Fields["list"])
		case "site":
			e.Sites = append(e.Sites, r.Data)
		case "item":
			dists = append(dists, r)
		case "sums":
			sums = append(sums, strings.Split(r.Data, "\n")...)
		case "inject":
			e.Inject = append(e.Inject, r.Data)
		case "torch":
			e.Torch = readTorch(r.Data)
		default:
			return Env{}, fmt.Errorf("unknown record %.20q", r.Name)
		}
	}
	return e, e.fill(dists, sums)
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

// fill gives each folder its digests; sha256sum prints one line for each file, in the
// order in which the files were said.
func (e *Env) fill(items []record.Item, sums []string) error {
	next := func() (string, error) {
		if len(sums) == 0 {
			return "", fmt.Errorf("sha256sum gave too few lines")
		}
		sum, _, _ := strings.Cut(strings.TrimPrefix(sums[0], `\`), " ")
		if len(sum) != 64 {
			return "", fmt.Errorf("sha256sum said %.100q", sums[0])
		}
		sums = sums[1:]
		return sum, nil
	}
	for _, item := range items {
		digest := map[string]string{}
		for _, file := range []string{"METADATA", "RECORD"} {
			if _, has := item.Fields[file]; !has {
				continue
			}
			sum, err := next()
			if err != nil {
				return err
			}
			digest[file] = sum
		}
		name, d := distOf(item, digest)
		e.Dists[name] = append(e.Dists[name], d)
	}
	if len(sums) > 0 {
		return fmt.Errorf("sha256sum gave %d lines too many", len(sums))
	}
	return nil
}

func distOf(item record.Item, digest map[string]string) (string, Dist) {
	name, version := split(item.Data)
	d := Dist{
		Version: version, Folder: item.Data, Direct: item.Fields["direct_url.json"],
		Installer: strings.TrimSpace(item.Fields["INSTALLER"]),
	}
	if !strings.HasSuffix(item.Data, ".dist-info") {
		return name, d
	}
	d.Identity = digest["RECORD"] + ":" + digest["METADATA"]
	for _, file := range []string{"METADATA", "RECORD", "INSTALLER"} {
		if _, has := item.Fields[file]; !has {
			d.Broken = "broken: " + item.Data + " has no " + file
		}
	}
	return name, d
}
