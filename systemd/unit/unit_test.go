package unit

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const sample = "\ufeff# a comment\r\n" + `
Early=1
[Unit]
Description = a  b\
  ; a comment between
  c \\
After=x.target
 After = y.target
After=
After=z.target
[Service
Lost=1
[Service]
ExecStart=/bin/sh -c 'echo \
  "[Unit]" = $HOME'
NoValue
=nothing
Type=one` + "\xff" + `
Environment=A=\ ` + `
Restart=no
[Service]
Environment=B=2 \

User=x\`

func TestParse(t *testing.T) {
	f, problems := Parse(sample)
	want := File{[]Section{
		{"Unit", 4, []Entry{
			{"Description", `a  b c \\`, 5}, {"After", "x.target", 8}, {"After", "y.target", 9}, {"After", "", 10}, {"After", "z.target", 11},
		}},
		{"Service", 14, []Entry{
			{"ExecStart", `/bin/sh -c 'echo  "[Unit]" = $HOME'`, 15}, {"Environment", `A=\`, 20}, {"Restart", "no", 21},
		}},
		{"Service", 22, []Entry{{"Environment", "B=2", 23}, {"User", "x", 25}}},
	}}
	if d := cmp.Diff(want, f); d != "" {
		t.Error(d)
	}
	var lines []int
	for _, p := range problems {
		lines = append(lines, p.Line)
	}
	if !slices.Equal(lines, []int{3, 12, 17, 18, 19, 20, 25}) {
		t.Errorf("%+v", problems)
	}
	if f.Get("Service", "User") != "x" || f.Get("Unit", "After") != "z.target" || f.Get("Unit", "Wants") != "" {
		t.Error("wrong values")
	}
	if got := f.All("Unit", "After"); !slices.Equal(got, []string{"z.target"}) {
		t.Errorf("an empty assignment did not reset: %q", got)
	}
	if got := f.All("Service", "Environment"); !slices.Equal(got, []string{`A=\`, "B=2"}) {
		t.Errorf("over two sections: %q", got)
	}
}

// TestManyContinuedLines: reading takes time in proportion to the text; joining each line
// to all before it took minutes for this one.
func TestManyContinuedLines(t *testing.T) {
	const lines = 500_000
	f, problems := Parse("[Service]\nExecStart=" + strings.Repeat("a\\\n", lines) + "b")
	if want := strings.Repeat("a ", lines) + "b"; f.Get("Service", "ExecStart") != want || len(problems) > 0 {
		t.Errorf("%d bytes came, %d wanted; %+v", len(f.Get("Service", "ExecStart")), len(want), problems)
	}
}

// TestInstalledUnits reads the unit files of the machine, which systemd takes all.
func TestInstalledUnits(t *testing.T) {
	paths, _ := filepath.Glob("/usr/lib/systemd/system/*.*")
	read := 0
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil || len(text) == 0 || ValidName(filepath.Base(path)) != nil {
			continue // a folder, a link to nothing, a scope
		}
		read++
		f, problems := Parse(string(text))
		if problems = append(problems, Lint(filepath.Base(path), f)...); len(problems) > 0 {
			t.Errorf("%s: %+v", path, problems)
		}
	}
	if read == 0 {
		t.Skip("this machine has no unit files of its own")
	}
}

func TestCompare(t *testing.T) {
	for _, row := range []struct {
		name, a, b string
		want       []string
	}{
		{"comments, space, order of keys", "[Service]\nA=1\nB=x y\n", "# c\n[Service]\n\nB = x y\n;\nA=1", nil},
		{"a section in two parts", "[Service]\nA=1\n[Unit]\nX=1\n[Service]\nB=2", "[Unit]\nX=1\n[Service]\nB=2\nA=1", nil},
		{"continued", "[Service]\nA=1 \\\n2", "[Service]\nA=1  2", nil},
		{"undone", "[Service]\nA=1\nA=\nA=2", "[Service]\nA=2", nil},
		{"order of one key", "[Service]\nE=1\nE=2", "[Service]\nE=2\nE=1", []string{"Service E"}},
		{"sockets", "[Socket]\nListenStream=1\nListenDatagram=2", "[Socket]\nListenDatagram=2\nListenStream=1", []string{"Socket Listen*"}},
		{"one more, one less", "[Service]\nA=1\n", "[Service]\nB=1\n[Install]\nC=", []string{"Service A", "Service B"}},
		{"other section", "[Unit]\nA=1", "[Service]\nA=1", []string{"Service A", "Unit A"}},
	} {
		a, _ := Parse(row.a)
		b, _ := Parse(row.b)
		var got []string
		for _, d := range Compare(a, b) {
			got = append(got, d.Section+" "+d.Key)
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: %q", row.name, got)
		}
	}
}

func TestLint(t *testing.T) {
	for _, row := range []struct{ name, text, says string }{
		{"a.service", "", "no [Section]"},
		{"a.service", "[Unit]\nDescription=x", "no ExecStart="},
		{"a.service", "[Service]\nExecStart=/bin/true\nExecStart=\n", "no ExecStart="},
		{"a.service", "[Service]\nExecStop=/bin/true\nType=simple", "must have Type=oneshot"},
		{"a.service", "[Service]\nExecStop=/bin/true", "RemainAfterExit"},
		{"a.service", "[Service]\nExecStop=/bin/true\nRemainAfterExit=yes", ""},
		{"a.service", "[Service]\nExecStart=/bin/true\nExecStart=/bin/true", "more than one"},
		{"a.service", "[Service]\nType=oneshot\nExecStart=/bin/true\nExecStart=/bin/true", ""},
		{"a.service", "[Service]\nType=oneshot\nExecStart=/bin/true\nRestart=always", "Restart=always"},
		{"a.service", "[Service]\nType=dbus\nExecStart=/bin/true", "BusName"},
		{"a.service", "[Service]\nExecStart=/bin/true\n[service]\nX=1\n[X-Ours]\nY=1", "[service]"},
		{"a@b.timer", "[Timer]\nUnit=x.service", "lacks a time"},
		{"a.timer", "[Timer]\nOnBootSec=1", ""},
		{"a.timer", "[Timer]\nOnBootSec=1\n[Service]\nA=1", "[Service]"},
		{"a.socket", "[Socket]\nAccept=yes", "listen"},
		{"a.socket", "[Socket]\nListenStream=1", ""},
		{"a.path", "[Path]\nUnit=a.service", "watch"},
		{"a.mount", "[Mount]\nWhere=/x", "What="},
		{"a.target", "[Unit]\nDescription=x", ""},
	} {
		f, _ := Parse(row.text)
		found := Lint(row.name, f)
		if row.says == "" && len(found) > 0 || row.says != "" && (len(found) != 1 || !strings.Contains(found[0].Text, row.says)) {
			t.Errorf("%s %q: %+v", row.name, row.text, found)
		}
	}
}

func TestValidName(t *testing.T) {
	for _, name := range []string{"a.service", "a@.service", "a@b.service", "a@b@c.timer", `dev-disk-by\x2dlabel.swap`, "a.b:c_d-e.socket", strings.Repeat("a", 247) + ".service"} {
		if err := ValidName(name); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"", "a", ".service", "@.service", "@a.service", "a.servic", "a.scope", "a b.service", "a/b.service", "ä.service", "a\n.service", "a\x00.service", strings.Repeat("a", 248) + ".service"} {
		if ValidName(name) == nil {
			t.Errorf("%q is taken", name)
		}
	}
	if !Template("a@.service") || Template("a@b.service") || Template("a.service") || Template("@.service") {
		t.Error("templates are not told from others")
	}
}

func TestParseShow(t *testing.T) {
	units, err := ParseShow([]byte("Id=a.service\nExecStart={ path=/bin/x ; argv[]=/bin/x a=b }\nStatusText=one\n two\nMainPID=0\nExecStart={ path=/bin/y }\n\nId=b.service\nDescription=\n\n\n"))
	want := []map[string]string{
		{"Id": "a.service", "ExecStart": "{ path=/bin/x ; argv[]=/bin/x a=b }\n{ path=/bin/y }", "StatusText": "one\n two", "MainPID": "0"},
		{"Id": "b.service", "Description": ""},
	}
	if err != nil || cmp.Diff(want, units) != "" {
		t.Errorf("%v %s", err, cmp.Diff(want, units))
	}
	if units, err := ParseShow(nil); err != nil || units != nil {
		t.Errorf("nothing: %v %v", units, err)
	}
	if _, err := ParseShow([]byte("Failed to connect to bus")); err == nil {
		t.Error("a sentence is taken for properties")
	}
}

func TestRenderForgesNothing(t *testing.T) {
	text := Render(File{[]Section{{Name: "Service", Entries: []Entry{{Key: "A", Value: "1\n[Install]\rB=2\x00\\"}, {Key: "C", Value: "3"}}}}})
	if text != "[Service]\nA=1 [Install] B=2 \\ \nC=3\n" {
		t.Errorf("%q", text)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(sample)
	f.Fuzz(func(t *testing.T, text string) {
		first, _ := Parse(text)
		again, problems := Parse(Render(first))
		for i := range first.Sections {
			forgetLines(&first.Sections[i])
		}
		for i := range again.Sections {
			forgetLines(&again.Sections[i])
		}
		if d := cmp.Diff(first, again); d != "" {
			t.Errorf("%v\n%s", problems, d)
		}
		if d := Compare(first, again); d != nil {
			t.Errorf("%+v", d)
		}
	})
}

func forgetLines(s *Section) {
	s.Line = 0
	for i := range s.Entries {
		s.Entries[i].Line = 0
	}
}

func FuzzShow(f *testing.F) {
	f.Add("A=1\nB=\n x\n\nA=2\nA=\nB")
	f.Fuzz(func(t *testing.T, text string) {
		units, err := ParseShow([]byte(text))
		if err != nil {
			return
		}
		size := 0
		for _, u := range units {
			for key, value := range u {
				size += len(key) + len("=") + len(value) + len("\n")
				if !property(key) {
					t.Errorf("%q is no property", key)
				}
			}
		}
		if said := len(strings.ReplaceAll(text, "\n\n", "\n")) + 1; size > said {
			t.Errorf("%d bytes of %d were read from %q", size, said, text)
		}
	})
}
