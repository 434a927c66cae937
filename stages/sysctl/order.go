package sysctl

import (
	"path"
	"slices"
	"strings"
)

// parseLine reads one line as systemd-sysctl does.
func parseLine(line string) (setting, bool) {
	line = strings.TrimSpace(line)
	if line == "" || line[0] == '#' || line[0] == ';' {
		return setting{}, false
	}
	key, value, assigned := strings.Cut(line, "=")
	name, dash := strings.CutPrefix(strings.TrimSpace(key), "-")
	if name = strings.TrimSpace(name); name == "" || !assigned && !dash {
		return setting{}, false
	}
	return setting{
		key: procPath(name), value: normal(value), exclude: !assigned,
		glob: strings.ContainsAny(name, "*?["),
	}, true
}

// readOrder is the order of systemd-sysctl: by file name whatever the folder, and of
// files with one name only that in the heaviest folder.
func readOrder(lines map[string][]setting) []string {
	chosen := map[string]string{}
	for _, dir := range slices.Backward(bootDirs[:]) {
		for file := range lines {
			if path.Dir(file) == dir {
				chosen[path.Base(file)] = file
			}
		}
	}
	var order []string
	for _, file := range chosen {
		order = append(order, file)
	}
	slices.SortFunc(order, func(a, b string) int { return strings.Compare(path.Base(a), path.Base(b)) })
	return order
}

// settings lists the assignments of one file.
func (b *bootFiles) settings(file string) []setting { return b.lines[file] }

// in is the last assignment of a key in one file, nil when there is none.
func (b *bootFiles) in(file, proc string) *setting {
	var last *setting
	for i, s := range b.lines[file] {
		if s.key == proc && !s.glob && !s.exclude {
			last = &b.lines[file][i]
		}
	}
	return last
}

// winner is the assignment that a key has after boot: the last exact one, else the
// last pattern that fits, unless the key is excluded from patterns.
func (b *bootFiles) winner(proc string) *setting {
	var exact, pattern *setting
	excluded := false
	for _, file := range b.order {
		for i, s := range b.lines[file] {
			fits, _ := path.Match(s.key, proc)
			switch {
			case s.key == proc && s.exclude:
				excluded = true
			case s.key == proc && !s.glob:
				exact = &b.lines[file][i]
			case s.glob && fits && !s.exclude:
				pattern = &b.lines[file][i]
			}
		}
	}
	if exact != nil || excluded {
		return exact
	}
	return pattern
}
