package dnf

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdprov/pdprov/internal/osrelease"
	"github.com/pdprov/pdprov/stages/stage"
	"github.com/pdprov/pdprov/stages/stagetest"
)

const answer = "asked\tnvidia-*\n" +
	"row\tnvidia-driver-cuda\t3\t580.95.05\t1.el9\tx86_64\t1764483121\n" +
	"row\tnvidia-modprobe\t3\t580.95.05\t1.el9\tx86_64\t1764483122\n" +
	"row\tnvidia-modprobe\t3\t580.126.09\t1.el9\tx86_64\t1764483123\n" +
	"all\t431\nexit\t0\n"

func facts(rpm string, pins ...string) stage.Facts {
	var b strings.Builder
	for i := 0; i+1 < len(pins); i += 2 {
		b.WriteString(say(pins[i], pins[i+1]))
	}
	b.WriteString(say("end", ""))
	return stage.Facts{
		rpmID + "nvidia-*": {Outcome: stage.Answered, Body: []byte(rpm)},
		logID + "nvidia-*": {Outcome: stage.Answered, Body: []byte("2025-11-30T07:12:01+0100 SUBDEBUG Upgrade: nvidia-driver-cuda-3:580.95.05-1.el9.x86_64\n2025-11-30T07:12:02+0100 SUBDEBUG Upgraded: nvidia-driver-cuda-3:570.195.03-1.el9.x86_64\n")},
		pinsID:             {Outcome: stage.Answered, Body: []byte(b.String())},
	}
}

func TestMatch(t *testing.T) {
	list, unknown, ok := Match("nvidia-*", facts(answer, "plugin", "", "versionlock.list", "# Added lock\nnvidia-driver-cuda-3:580.95.05-1.el9.*\nnvidia-modprobe\n"))
	if !ok || len(list) != 3 {
		t.Fatalf("%+v %+v", list, unknown)
	}
	p := list[0]
	if p.Version.Text != "3:580.95.05-1.el9" || p.State.Text != Installed || p.Held.Text != "yes" || p.Version.By != "dnf on 2025-11-30 07:12" {
		t.Errorf("%+v", p)
	}
	if p := list[1]; p.State.Text != HalfInstalled || p.Held.Text != "no" || p.Version.By != "rpm on 2025-11-30 06:12" {
		t.Errorf("%+v", p)
	}
}

func TestWhatIsNotWholeIsUnknown(t *testing.T) {
	for name, body := range map[string]string{
		"cut off":        answer[:len(answer)-3],
		"not asked":      strings.Replace(answer, "asked\tnvidia-*", "asked\tother", 1),
		"empty database": "asked\tnvidia-*\nall\t0\nexit\t0\n",
		"failed":         strings.Replace(answer, "exit\t0", "exit\t1", 1),
		"complaint":      strings.Replace(answer, "all\t", "err\terror: rpmdb: damaged header #1\nall\t", 1),
		"odd row":        strings.Replace(answer, "x86_64\t", "x86_64\tNaN", 1),
	} {
		if list, v, ok := Match("nvidia-*", facts(body)); ok || v.State != stage.Unknown || v.Reason == "" {
			t.Errorf("%s: %+v %+v", name, list, v)
		}
	}
	none, _, ok := Match("nvidia-*", facts("asked\tnvidia-*\nall\t431\nexit\t0\n"))
	if !ok || len(none) != 0 {
		t.Errorf("certain absence: %+v", none)
	}
}

func TestWhatLocks(t *testing.T) {
	const list = "nvidia-driver-cuda-3:580.95.05-1.el9.*\n"
	const toml = "version = \"1.0\"\n\n[[packages]]\nname = \"nvidia-driver-cuda\"\n[[packages.conditions]]\nkey = \"evr\"\ncomparator = \"=\"\nvalue = \"3:580.95.05-1.el9\"\n"
	for name, c := range map[string]struct {
		pins []string
		want string
	}{
		"dnf 4":                {[]string{"plugin", "", "versionlock.list", list}, "yes"},
		"without the plugin":   {[]string{"versionlock.list", list}, "no"},
		"plugin disabled":      {[]string{"plugin", "", "versionlock.conf", "[main]\nenabled = 0\n", "versionlock.list", list}, "no"},
		"commented":            {[]string{"plugin", "", "versionlock.list", "#" + list}, "no"},
		"kept out":             {[]string{"plugin", "", "versionlock.list", "!" + list}, "no"},
		"the branch only":      {[]string{"plugin", "", "versionlock.list", "*nvidia*580*\n"}, "no"},
		"another version":      {[]string{"plugin", "", "versionlock.list", strings.Replace(list, "95", "65", 1)}, "no"},
		"dnf 5":                {[]string{"dnf5", "", "versionlock.toml", toml}, "yes"},
		"dnf 5, at least":      {[]string{"dnf5", "", "versionlock.toml", strings.Replace(toml, `"="`, `">="`, 1)}, "no"},
		"the list beside dnf5": {[]string{"dnf5", "", "versionlock.list", list}, "no"},
	} {
		p, unknown, ok := Match("nvidia-*", facts(answer, c.pins...))
		if !ok || p[0].Held.Text != c.want {
			t.Errorf("%s: %+v %+v", name, p, unknown)
		}
	}
	f := facts(answer, "nvidia-driver.module", "[nvidia-driver]\nname=nvidia-driver\nstream=580-open\nprofiles=\nstate=enabled\n")
	if v := Stream(f); v.Text != "580-open" {
		t.Errorf("%+v", v)
	}
	if v := Stream(facts(answer, "nvidia-driver.module", "stream=\nstate=disabled\n")); v.State != stage.None {
		t.Errorf("%+v", v)
	}
}

func TestOn(t *testing.T) {
	for text, want := range map[string]bool{
		"ID=rocky\nID_LIKE=\"rhel centos fedora\"\nVERSION_ID=\"9.4\"\n":  true,
		"ID=rhel\nVERSION_ID=10.0\n":                                      true,
		"ID=centos\nVERSION_ID=7\n":                                       false,
		"ID=fedora\nVERSION_ID=42\n":                                      true,
		"ID=amzn\nID_LIKE=fedora\nVERSION_ID=2023\n":                      true,
		"ID=amzn\nID_LIKE=\"centos rhel fedora\"\nVERSION_ID=2\n":         false,
		"ID=amzn\nID_LIKE=\"centos rhel fedora\"\nVERSION_ID=\"2018.03\"": false,
		"ID=debian\nVERSION_ID=12\n":                                      false,
		"ID=rhel\n":                                                       false,
	} {
		if On(osrelease.Parse(text)) != want {
			t.Errorf("%q", text)
		}
	}
}

// TestLookForReal asks this machine, which has rpm with an empty database or none.
func TestLookForReal(t *testing.T) {
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		f := stagetest.Look(t, shell, Patterns("nvidia-*"))
		if _, v, ok := Match("nvidia-*", f); !ok && (v.Reason == "" || v.Probe == "") {
			t.Errorf("%+v", v)
		}
		if v := Stream(f); v.State == stage.Unknown {
			t.Errorf("%+v", v)
		}
	})
}

func FuzzParseRPM(f *testing.F) {
	f.Add(answer)
	f.Fuzz(func(t *testing.T, body string) {
		if db, err := parseRPM([]byte(body)); err == nil && !strings.Contains(body, "\nexit\t0\n") {
			t.Errorf("believed without its end: %q %v", body, db)
		}
	})
}

func say(name, data string) string {
	return fmt.Sprintf("%s %d:%s\n", name, len(data), data)
}
