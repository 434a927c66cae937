package gpu

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/pdprov/pdprov/internal/record"
	"github.com/pdprov/pdprov/stages/stage"
)

// driverAnswer is what the driver's files say.
type driverAnswer struct {
	driver Driver
	cards  []card
}

// card is one file "information" of /proc/driver/nvidia/gpus.
type card struct{ address, uuid, minor, model string }

var (
	versionAnywhere = regexp.MustCompile(`[0-9]+\.[0-9]+(\.[0-9]+)?`)
	libraryForm     = regexp.MustCompile(`^libnvidia-ml\.so\.([0-9]+\.[0-9]+(\.[0-9]+)?)$`)
)

func parseDriver(body []byte) (driverAnswer, error) {
	var a driverAnswer
	all, err := record.Items(body)
	if err != nil {
		return a, err
	}
	module, kernel, linker := record.Item{}, "", false
	for _, p := range all {
		switch p.Name {
		case "module":
			module = p
		case "kernel":
			kernel = p.Data
		case "information":
			c, err := parseInformation(p.Data)
			if err != nil {
				return a, err
			}
			a.cards = append(a.cards, c)
		case "library":
			a.driver.Copies = append(a.driver.Copies, copyOf(p))
		case "ldconfig":
			linker = true
		default:
			return a, fmt.Errorf("%.40q is no part of the answer", p.Name)
		}
	}
	if module.Data != "loaded" && module.Data != "absent" {
		return a, fmt.Errorf("nothing about the kernel module")
	}
	a.driver.module(module, kernel)
	a.driver.Library = libraryVersion(a.driver.Copies, linker)
	return a, nil
}

// module reads what is loaded. sysfs and procfs must agree.
func (d *Driver) module(p record.Item, kernel string) {
	if p.Data == "absent" {
		d.Loaded, d.Flavour, d.SrcVersion = stage.Nothing(), stage.Nothing(), stage.Nothing()
		return
	}
	_, line, _ := strings.Cut(kernel, "NVRM version:")
	line, _, _ = strings.Cut(line, "\n")
	inProc, inSys := versionAnywhere.FindString(line), p.Fields["version"]
	d.Flavour, d.SrcVersion = flavour(line), unknown(driverID, "/sys/module/nvidia/srcversion could not be read")
	if s := p.Fields["srcversion"]; nameForm.MatchString(s) {
		d.SrcVersion = stage.Is(s)
	}
	switch {
	case versionForm.MatchString(inSys) && (inProc == inSys || inProc == ""):
		d.Loaded = stage.Is(inSys)
	case inSys == "" && inProc != "":
		d.Loaded = stage.Is(inProc)
	default:
		d.Loaded = unknown(driverID, fmt.Sprintf("the nvidia module is loaded, but its version reads %q in /sys and %q in /proc", short(inSys), inProc))
	}
}

func flavour(line string) stage.Value {
	switch {
	case strings.Contains(line, "Open Kernel Module"):
		return stage.Is("open")
	case strings.Contains(line, "Kernel Module"):
		return stage.Is("proprietary")
	}
	return unknown(driverID, "/proc/driver/nvidia/version does not tell the flavour")
}

func copyOf(p record.Item) Copy {
	c := Copy{Path: p.Data, Target: p.Fields["target"]}
	if m := libraryForm.FindStringSubmatch(path.Base(c.Target)); m != nil {
		c.Version = stage.Is(m[1])
	} else {
		c.Version = unknown(driverID, fmt.Sprintf("the name of %q has no version", short(c.Target)))
	}
	return c
}

// libraryVersion is the one version of all copies. No copy in the known places is only
// certain where the linker was asked as well.
func libraryVersion(copies []Copy, linker bool) stage.Value {
	if len(copies) == 0 && linker {
		return stage.Nothing()
	}
	if len(copies) == 0 {
		return unknown(driverID, "no libnvidia-ml.so.1 in the usual folders, and ldconfig could not be asked for others")
	}
	for _, c := range copies {
		if c.Version.State != stage.Present {
			return c.Version
		}
		if c.Version.Text != copies[0].Version.Text {
			return unknown(driverID, fmt.Sprintf("two libraries: %s is %s and %s is %s",
				copies[0].Path, copies[0].Version.Text, c.Path, c.Version.Text))
		}
	}
	return copies[0].Version
}

// parseInformation reads "Name: <tabs> value" lines.
func parseInformation(text string) (card, error) {
	fields := map[string]string{}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(line, ":")
		fields[name] = strings.TrimSpace(value)
	}
	address, ok := Address(fields["Bus Location"])
	if !ok {
		return card{}, fmt.Errorf("%.40q is no bus location", fields["Bus Location"])
	}
	return card{address, fields["GPU UUID"], fields["Device Minor"], fields["Model"]}, nil
}
