package nvrepo

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/pdprov/pdprov/internal/osrelease"
	"github.com/pdprov/pdprov/internal/record"
	"github.com/pdprov/pdprov/stages/stage"
	"github.com/pdprov/pdprov/stages/stagetest"
)

const testKey = "98F4AD9D7C905A58E1102E74959948BEBC1E3C8E" // as gpg 2.2.40 shows it

func ring(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/ed25519.asc")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestKeys(t *testing.T) {
	armoured := ring(t)
	binary, err := dearmour(string(armoured))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		ring []byte
		want string
	}{
		"armoured":      {armoured, testKey},
		"crlf":          {bytes.ReplaceAll(armoured, []byte("\n"), []byte("\r\n")), testKey},
		"binary":        {binary, testKey},
		"two":           {append(bytes.Clone(binary), binary...), testKey + " " + testKey},
		"two armoured":  {append(bytes.Clone(armoured), armoured...), testKey + " " + testKey},
		"cut off":       {binary[:len(binary)-3], ""},
		"cut armour":    {armoured[:len(armoured)-30], ""},
		"empty":         {nil, ""},
		"an error page": {[]byte("<html>404 Not Found</html>"), ""},
		"secret":        {bytes.ReplaceAll(armoured, []byte("PUBLIC"), []byte("PRIVATE")), ""},
	} {
		keys, err := Keys(c.ring)
		if got := strings.Join(keys, " "); got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// TestKeysLikeGPG compares with gpg on the keyrings of this machine.
func TestKeysLikeGPG(t *testing.T) {
	const file = "/usr/share/keyrings/debian-archive-keyring.gpg"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Skipf("needs a keyring: %v", err)
	}
	out, err := exec.Command("gpg", "--homedir", t.TempDir(), "--show-keys", "--with-colons", file).Output()
	if err != nil {
		t.Skipf("needs gpg: %v", err)
	}
	var want []string
	primary := false
	for line := range strings.Lines(string(out)) {
		f := strings.Split(line, ":")
		switch {
		case f[0] == "pub":
			primary = true
		case f[0] == "fpr" && primary:
			want, primary = append(want, f[9]), false
		}
	}
	got, err := Keys(data)
	if err != nil || strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("%v: %v, gpg says %v", err, got, want)
	}
}

func FuzzKeys(f *testing.F) {
	f.Add([]byte("-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmDMEaxCe6xYJ\n-----END PGP PUBLIC KEY BLOCK-----"))
	f.Add([]byte{0x99, 0, 1, 4})
	f.Fuzz(func(t *testing.T, data []byte) {
		if keys, err := Keys(data); err == nil && len(keys) == 0 {
			t.Error("neither keys nor an error")
		}
	})
}

func TestSources(t *testing.T) {
	const text = `# comment
deb http://deb.debian.org/debian bookworm main
deb-src http://x/repo /
#deb http://x/repo /
deb [arch=amd64  signed-by=/k.gpg] http://x/repo/ / # two
	deb	http://x/repo	/
`
	if got := words(others(oneLine("a.list", text), "http://x/repo/")); got != "a.list:5, a.list:6" {
		t.Error(got)
	}
	const stanzas = `Types: deb
URIs: http://deb.debian.org/debian
 http://x/repo/
Suites: /

# off
Enabled: no
URIs: http://x/repo

Uris: http://x/repo
Enabled: yes
`
	if got := words(others(deb822("a.sources", stanzas), "http://x/repo")); got != "a.sources:3, a.sources:10" {
		t.Error(got)
	}
}

func TestRepoFiles(t *testing.T) {
	const text = `# comment
[base]
baseurl=http://x/other

[off]
baseurl = http://x/repo/
enabled=0
[cuda]
name=http://x/repo
enabled = 1
baseurl=http://mirror/a
  http://x/repo
gpgcheck=0
`
	if got := words(others(sections("a.repo", text), "http://x/repo")); got != "a.repo:12" {
		t.Error(got)
	}
}

func TestFolder(t *testing.T) {
	for text, want := range map[string]string{
		"ID=debian\nVERSION_ID=\"12\"\n":                  "debian12",
		"ID=ubuntu\nVERSION_ID=\"24.04\"\n":               "ubuntu2404",
		"ID=linuxmint\nID_LIKE=ubuntu\nVERSION_ID=22.1\n": "",
		"ID=debian\n": "",
		"ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\nVERSION_ID=\"9.4\"\n": "rhel9",
		"ID=\"ol\"\nID_LIKE=\"fedora\"\nVERSION_ID=\"8.10\"\n":               "rhel8",
		"ID=rhel\nVERSION_ID=10.0\n":                                         "rhel10",
		"ID=\"rhel\"\nVERSION_ID=\"7.9\"\n":                                  "",
		"ID=fedora\nVERSION_ID=42\n":                                         "fedora42",
		"ID=\"amzn\"\nID_LIKE=\"fedora\"\nVERSION_ID=\"2023\"\n":             "amzn2023",
		"ID=\"amzn\"\nID_LIKE=\"centos rhel fedora\"\nVERSION_ID=\"2\"\n":    "",
		"ID=nobara\nID_LIKE=\"rhel centos fedora\"\nVERSION_ID=\"42\"\n":     "",
	} {
		if got := folder(osrelease.Parse(text)); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestValidate(t *testing.T) {
	long := strings.ToLower(testKey)
	for name, c := range map[string]struct {
		values map[string]any
		want   string // paths
	}{
		"nothing":          {map[string]any{}, ""},
		"a mirror":         {map[string]any{"repository": "http://x/repo", "key_fingerprint": long}, ""},
		"blanks in it":     {map[string]any{"repository": "http://x/repo", "key_fingerprint": "98F4 AD9D 7C90 5A58 E110  2E74 9599 48BE BC1E 3C8E"}, ""},
		"no key":           {map[string]any{"repository": "http://x/repo"}, "repository"},
		"short id":         {map[string]any{"repository": "http://x/repo", "key_fingerprint": "BC1E3C8E"}, "key_fingerprint"},
		"password":         {map[string]any{"repository": "http://u:p@x/repo", "key_fingerprint": long}, "repository"},
		"options smuggled": {map[string]any{"repository": "http://x/ [trusted=yes]", "key_fingerprint": long}, "repository"},
		"scheme":           {map[string]any{"repository": "ftp://x/", "key_fingerprint": long}, "repository"},
		"key file":         {map[string]any{"key": stage.LocalData{Path: "k", Data: ring(t)}, "key_fingerprint": long}, ""},
		"other key file":   {map[string]any{"key": stage.LocalData{Path: "k", Data: ring(t)}}, "key"},
	} {
		var paths []string
		for _, finding := range Validate(stage.Instance{Config: stage.Config{Values: c.values}}) {
			paths = append(paths, finding.Path)
		}
		if got := strings.Join(paths, " "); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestLookAtFiles asks under three shells.
func TestLookAtFiles(t *testing.T) {
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		f := stagetest.Look(t, shell, Probes())
		if _, unknown, ok := (Repository{}).sources(f); !ok {
			t.Errorf("%+v", unknown)
		}
		if v := key(f); v.State == stage.Unknown {
			t.Errorf("%+v", v)
		}
	})
}

// TestOddSourceFiles has what else may lie among the sources; apt and dnf read regular
// files only.
func TestOddSourceFiles(t *testing.T) {
	dir := t.TempDir()
	ask := func(t *testing.T, shell []string) stage.Facts {
		probes := Probes()
		for i := range probes {
			probes[i].Script = strings.NewReplacer("/etc/apt/", dir+"/", "/etc/yum.repos.d/", dir+"/").Replace(probes[i].Script)
		}
		return stagetest.Look(t, shell, probes)
	}
	if err := os.MkdirAll(dir+"/sources.list.d/folder.list", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/nowhere", dir+"/sources.list.d/dangling.list"); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(dir+"/sources.list.d/fifo.list", 0o644); err != nil {
		t.Fatal(err)
	}
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		f := ask(t, shell)
		if records, err := record.Parse(f.Get(sourcesID).Body); err != nil || len(records) != 1 {
			t.Errorf("%v %v", records, err)
		}
	})
	if err := os.WriteFile(dir+"/sources.list.d/large.list", bytes.Repeat([]byte("#"), 10_000_000), 0o644); err != nil {
		t.Fatal(err)
	}
	f := ask(t, []string{"sh"})
	if _, unknown, ok := (Repository{}).sources(f); ok || !strings.Contains(unknown.Reason, "large.list has 10000000 bytes") {
		t.Errorf("%v %+v", ok, unknown)
	}
}
