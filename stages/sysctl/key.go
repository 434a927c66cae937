package sysctl

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/pdprov/pdprov/stages/stage"
)

// key is one wanted setting.
type key struct {
	name  string // as the plan spells it
	proc  string // path below /proc/sys
	value string // normal form
}

func (k key) path() string { return fmt.Sprintf("values[%q]", k.name) }

// keysOf lists the wanted settings in order of their names.
func keysOf(c stage.Config) []key {
	values := c.Map("values")
	var keys []key
	for _, name := range slices.Sorted(maps.Keys(values)) {
		keys = append(keys, key{name: name, proc: procPath(name), value: normal(values[name])})
	}
	return keys
}

// procPath follows sysctl(8) and sysctl.d(5): where the first separator is a dot,
// dots and slashes change places; where it is a slash, the key is a path already.
func procPath(name string) string {
	if i := strings.IndexAny(name, "./"); i < 0 || name[i] == '/' {
		return name
	}
	return strings.Map(func(r rune) rune {
		switch r {
		case '.':
			return '/'
		case '/':
			return '.'
		}
		return r
	}, name)
}

// normal is a value with runs of white space as one space, since the kernel prints
// tabs where a file holds spaces.
func normal(value string) string { return strings.Join(strings.Fields(value), " ") }

var keyForm = regexp.MustCompile(`^[A-Za-z0-9_+@-][A-Za-z0-9_+@./-]*$`)

const (
	longestKey   = 200
	longestValue = 1000
)

// Validate refuses what a line of sysctl.d cannot say.
func (Kind) Validate(in stage.Instance) []stage.Finding {
	keys := keysOf(in.Config)
	var findings []stage.Finding
	if len(keys) == 0 {
		findings = append(findings, stage.Finding{Path: "values", Summary: "No setting named", Detail: "values must hold at least one key."})
	}
	if in.Config.Secret["values"] {
		findings = append(findings, stage.Finding{
			Path: "values", Summary: "Secret in a kernel setting",
			Detail: "A sensitive value went into values, but every user of the host can read a kernel setting.",
		})
	}
	spelled := map[string]string{}
	for _, k := range keys {
		if !isKey(k) {
			findings = append(findings, stage.Finding{
				Path: k.path(), Summary: "Not a kernel setting",
				Detail: fmt.Sprintf(`%q is no key: names joined by dots or slashes, such as "vm.max_map_count", without patterns, spaces or a leading "-".`, k.name),
			})
		}
		if first, twice := spelled[k.proc]; twice {
			findings = append(findings, stage.Finding{
				Path: k.path(), Summary: "Setting named twice",
				Detail: fmt.Sprintf("%q and %q are the same key, /proc/sys/%s.", first, k.name, k.proc),
			})
		}
		spelled[k.proc] = k.name
		if raw := in.Config.Map("values")[k.name]; k.value == "" || len(raw) > longestValue || strings.ContainsFunc(raw, notInLine) {
			findings = append(findings, stage.Finding{
				Path: k.path(), Summary: "Not a value for a kernel setting",
				Detail: fmt.Sprintf("The value of %s must be one line of 1 to %d characters without control characters; a file of sysctl.d cannot hold another.", k.name, longestValue),
			})
		}
	}
	return findings
}

func notInLine(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }

func isKey(k key) bool {
	if len(k.name) > longestKey || !keyForm.MatchString(k.name) || strings.HasPrefix(k.name, "-") {
		return false
	}
	for part := range strings.SplitSeq(k.proc, "/") {
		if part == "" || part == "." || part == ".." {
			return false
		}
	}
	return true
}

// fileName is the file that keeps a stage's settings. It sorts after what
// distributions and people name their files, 99-sysctl.conf included. Characters that
// a file name should not have are replaced; a digest keeps two stages apart then.
func fileName(addr string) string {
	safe := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r) {
			return r
		}
		return '_'
	}, addr)
	if safe != addr || len(safe) > 100 {
		sum := sha256.Sum256([]byte(addr))
		safe = safe[:min(len(safe), 100)] + "-" + hex.EncodeToString(sum[:6])
	}
	return "/etc/sysctl.d/99-zz-pdprov-" + safe + ".conf"
}

func resource(k key) stage.Resource { return stage.Resource("sysctl:" + k.proc) }
