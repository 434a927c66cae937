package unit

import (
	"slices"
	"strings"

	"github.com/pdprov/pdprov/stages/stage"
)

// changeable are the folders in which an administrator, or systemctl edit and
// set-property, puts drop-ins of one unit. Those of packages and those for a whole
// type of units belong to somebody else.
var changeable = []string{
	"/etc/systemd/system/", "/run/systemd/system/",
	"/etc/systemd/system.control/", "/run/systemd/system.control/",
}

// foreign lists the unit's drop-ins that the block does not allow, in order: those
// that lie in its folders and those that systemd has loaded.
func (s state) foreign(w wish) []string {
	var found []string
	add := func(path string) {
		if !w.allowed[path] && !slices.Contains(found, path) {
			found = append(found, path)
		}
	}
	for _, dir := range changeable {
		prefix := dir + w.name + ".d/"
		for path := range s.files {
			if strings.HasPrefix(path, prefix) {
				add(path)
			}
		}
		for _, path := range loadedDropins(s.props["DropInPaths"]) {
			if strings.HasPrefix(path, prefix) {
				add(path)
			}
		}
	}
	slices.Sort(found)
	return found
}

// loadedDropins splits a list that systemctl prints with single spaces; a path
// starts with a slash.
func loadedDropins(list string) []string {
	if list == "" {
		return nil
	}
	paths := strings.Split(list, " /")
	for i := 1; i < len(paths); i++ {
		paths[i] = "/" + paths[i]
	}
	return paths
}

func (s state) haveDropins(w wish) stage.Value {
	foreign := s.foreign(w)
	if len(foreign) == 0 {
		return stage.Is(none)
	}
	v := stage.Is(strings.Join(foreign, " "))
	if t, ok := s.files[foreign[len(foreign)-1]]; ok {
		v.By = "written " + stamp(t)
	}
	return v
}
