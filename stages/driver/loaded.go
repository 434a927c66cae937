package driver

import (
	"fmt"
	"strings"

	"github.com/pdprov/pdprov/internal/record"
	"github.com/pdprov/pdprov/stages/stage"
)

// loaded is what the kernel runs with now.
type loaded struct {
	module
	nouveau     stage.Value // "off" or "loaded"
	uninstaller bool        // a driver of NVIDIA's .run file
}

func readLoaded(f stage.Facts) loaded {
	a := f.Get(loadedID)
	if a.Outcome != stage.Answered {
		v := a.Unknown(loadedID)
		return loaded{module: unknownModule(v), nouveau: v}
	}
	fields, err := fieldsOf(a.Body)
	if err != nil {
		v := stage.Value{Reason: "what is loaded could not be read: " + err.Error(), Probe: loadedID}
		return loaded{module: unknownModule(v), nouveau: v}
	}
	l := loaded{module: module{version: stage.Nothing(), flavour: stage.Nothing()}, nouveau: stage.Is("off")}
	_, l.uninstaller = fields["uninstaller"]
	if _, there := fields["nouveau"]; there {
		l.nouveau = stage.Is("loaded")
	}
	if _, there := fields["nvidia"]; there {
		l.module = loadedModule(fields)
	}
	return l
}

func loadedModule(fields map[string]string) module {
	version := strings.TrimSpace(fields["version"])
	if !versionForm.MatchString(version) {
		return unknownModule(stage.Value{Reason: fmt.Sprintf("the module nvidia is loaded, but /sys/module/nvidia/version says %.60q", version), Probe: loadedID})
	}
	m := module{version: stage.Is(version), build: strings.TrimSpace(fields["srcversion"]), flavour: stage.Is(proprietary)}
	banner, there := fields["banner"]
	switch {
	case !there:
		m.flavour = stage.Value{Reason: "the module is loaded, but /proc/driver/nvidia/version is not there", Probe: loadedID}
	case !strings.HasPrefix(banner, "NVRM version:"):
		m.flavour = stage.Value{Reason: fmt.Sprintf("/proc/driver/nvidia/version says %.80q", banner), Probe: loadedID}
	case strings.Contains(banner, "Open Kernel Module"):
		m.flavour = stage.Is(open)
	}
	return m
}

// fieldsOf reads records that end with "end", by name.
func fieldsOf(body []byte) (map[string]string, error) {
	records, err := record.Parse(body)
	if err != nil {
		return nil, err
	}
	fields := map[string]string{}
	for _, r := range records {
		if _, twice := fields[r.Name]; twice {
			return nil, fmt.Errorf("two records %.20q", r.Name)
		}
		fields[r.Name] = r.Data
	}
	if len(records) == 0 || records[len(records)-1].Name != "end" {
		return nil, fmt.Errorf("the answer is cut off")
	}
	return fields, nil
}

// readLibrary is the version of libnvidia-ml.so.1; None when there is no such library.
func readLibrary(f stage.Facts) stage.Value {
	a := f.Get(libraryID)
	if a.Outcome != stage.Answered {
		return a.Unknown(libraryID)
	}
	records, err := record.Parse(a.Body)
	if err != nil || len(records) == 0 || records[len(records)-1].Name != "end" {
		return stage.Value{Reason: "where the driver's library is could not be read: the answer is cut off or garbled", Probe: libraryID}
	}
	var versions []string
	for _, r := range records[:len(records)-1] {
		_, version, found := strings.Cut(r.Data, "libnvidia-ml.so.")
		if !found || !versionForm.MatchString(version) {
			return stage.Value{Reason: fmt.Sprintf("libnvidia-ml.so.1 leads to %.120q, which has no version of the driver", r.Data), Probe: libraryID}
		}
		versions = appendNew(versions, version)
	}
	if len(versions) == 0 {
		return stage.Nothing()
	}
	return stage.Is(strings.Join(versions, " and "))
}

func appendNew(list []string, s string) []string {
	for _, have := range list {
		if have == s {
			return list
		}
	}
	return append(list, s)
}
