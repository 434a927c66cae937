package apply_test

import (
	"strconv"
	"strings"

	"github.com/pdprov/pdprov/hcl/model"
	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/stages/stage"
)

// plain is what the kinds of this test have in common.
type plain struct{}

func (plain) Summary() string                         { return "for tests" }
func (plain) Schema() []stage.Attr                    { return nil }
func (plain) Validate(stage.Instance) []stage.Finding { return nil }

// loaded wants a text in /etc/loaded, and in /run/loaded, to which only a boot copies it.
type loaded struct{ plain }

func (loaded) Name() string { return "loaded" }

const (
	configuredPath = "/etc/loaded"
	loadedPath     = "/run/loaded"
)

// copyUnit copies at boot, and writes down each boot.
const copyUnit = `[Unit]
Before=ssh.service
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'cp /etc/loaded /run/loaded; [ ! -e /etc/busy ] || touch /run/busy; cat /proc/sys/kernel/random/boot_id >>/var/lib/boots'
[Install]
WantedBy=multi-user.target
`

func reads(path string) stage.Probe {
	return stage.Probe{
		ID: path, Args: []string{path}, Script: `if rm /run/busy 2>/dev/null; then exit 1; fi
[ -e "$1" ] || exit 66
cat "$1"`, Reads: []stage.Resource{stage.Resource("path:" + path)},
	}
}

func seenAt(path string, f stage.Facts) stage.Value {
	switch a := f.Get(path); a.Outcome {
	case stage.Answered:
		return stage.Is(string(a.Body))
	case stage.Absent:
		return stage.Nothing()
	default:
		return a.Unknown(path)
	}
}

func (loaded) Probes(stage.Instance) []stage.Probe {
	return []stage.Probe{reads(configuredPath), reads(loadedPath)}
}

func (loaded) Want(in stage.Instance, _ stage.Facts) (stage.Surface, []stage.Finding) {
	v := stage.Is(in.Config.Text("text"))
	return stage.Surface{"configured": v, "loaded": v}, nil
}

func (loaded) Have(_ stage.Instance, f stage.Facts) stage.Surface {
	return stage.Surface{"configured": seenAt(configuredPath, f), "loaded": seenAt(loadedPath, f)}
}

// Work writes where that is needed; a reboot does the rest.
func (loaded) Work(in stage.Instance, _ stage.Facts, changes []stage.Change) (stage.Work, []stage.Finding) {
	w := stage.Work{Impact: stage.Reboot, Writes: []stage.Resource{"path:" + configuredPath}, Locks: []string{"net"}}
	for _, c := range changes {
		if c.Path == "configured" {
			text := posixsh.Quote(in.Config.Text("text"))
			w.Steps = append(w.Steps, stage.Step{Title: "write", Script: "printf %s " + text + " >" + configuredPath + "; echo ran >>/var/lib/steps"})
		}
	}
	return w, nil
}

// mark wants a file, writes the boot id to it after some seconds, and leaves a trace of
// its end.
type mark struct{ plain }

func (mark) Name() string { return "mark" }
func (mark) Probes(in stage.Instance) []stage.Probe {
	return []stage.Probe{reads(in.Config.Text("path"))}
}

func (mark) Have(in stage.Instance, f stage.Facts) stage.Surface {
	if v := seenAt(in.Config.Text("path"), f); v.State != stage.Present {
		return stage.Surface{"there": v}
	}
	return stage.Surface{"there": stage.Is("yes")}
}

func (mark) Want(stage.Instance, stage.Facts) (stage.Surface, []stage.Finding) {
	return stage.Surface{"there": stage.Is("yes")}, nil
}

func (mark) Work(in stage.Instance, _ stage.Facts, _ []stage.Change) (stage.Work, []stage.Finding) {
	path := posixsh.Quote(in.Config.Text("path"))
	var locks []string
	if name := in.Config.Text("lock"); name != "" {
		locks = []string{name}
	}
	seconds := strconv.Itoa(int(in.Config.Number("seconds")))
	return stage.Work{
		Steps:  []stage.Step{{Title: "mark", Script: "sleep " + seconds + "; cat /proc/sys/kernel/random/boot_id >" + path}},
		Writes: []stage.Resource{stage.Resource("path:" + in.Config.Text("path"))}, Locks: locks,
	}, nil
}

var kinds = stage.Kinds{loaded{}, mark{}}

// stageOn makes a stage from "key=value" words; depends=a,b is special.
func stageOn(host, addr string, words ...string) model.Stage {
	kind, _, _ := strings.Cut(addr, ".")
	s := model.Stage{Addr: addr, Kind: kind, Hosts: []string{host}, Config: stage.Config{Values: map[string]any{}}}
	for _, w := range words {
		key, value, _ := strings.Cut(w, "=")
		switch key {
		case "depends":
			s.DependsOn = strings.Split(value, ",")
		case "seconds":
			n, _ := strconv.Atoi(value)
			s.Config.Values[key] = float64(n)
		default:
			s.Config.Values[key] = value
		}
	}
	return s
}
