package record

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSayIsReadBackFromEveryShell(t *testing.T) {
	data := []string{"", "plain", "a\nsay 3:abc\n", "ünï 漢", "$(x) `y` \\n 'q' \"", strings.Repeat("z", 9000), "-n", "%s"}
	for _, shell := range [][]string{{"dash"}, {"bash"}, {"busybox", "sh"}} {
		if _, err := exec.LookPath(shell[0]); err != nil {
			t.Logf("no %s here", shell[0])
			continue
		}
		script := Say + `for d in "$@"; do say x "$d"; done`
		args := append(append(shell[1:], "-c", script, "sh"), data...)
		cmd := exec.Command(shell[0], args...)
		cmd.Env = []string{"LC_ALL=C", "PATH=/usr/bin:/bin"}
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(shell, err)
		}
		records, err := Parse(out)
		if err != nil {
			t.Fatal(shell, err)
		}
		var got []string
		for _, r := range records {
			got = append(got, r.Data)
		}
		if d := cmp.Diff(data, got); d != "" {
			t.Errorf("%v (-want +got):\n%s", shell, d)
		}
	}
}

func TestParseRefusesWhatIsNotWhole(t *testing.T) {
	for _, body := range []string{"x", "x 1", "x 1:", "x 1:a", "x 2:a\n", "x -1:a\n", "x 1:ab\n", "x 1:a\ny", "x 99999999999999999999:a\n"} {
		if got, err := Parse([]byte(body)); err == nil {
			t.Errorf("%q was read as %v", body, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("x 3:a\nb\ny 0:\n"))
	f.Fuzz(func(t *testing.T, body []byte) {
		records, err := Parse(body)
		total := 0
		for _, r := range records {
			total += len(r.Data)
		}
		if err == nil && total > len(body) {
			t.Errorf("more data than body")
		}
	})
}
