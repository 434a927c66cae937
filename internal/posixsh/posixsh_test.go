package posixsh_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/pdprov/pdprov/internal/posixsh"
)

// readBack is how a shell understands words: each printed with a NUL behind it.
func readBack(t *testing.T, shell []string, words string) string {
	t.Helper()
	c := exec.Command(shell[0], shell[1:]...)
	c.Stdin = strings.NewReader("printf '%s\\0' " + words + "\n")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", shell, err, out)
	}
	return string(out)
}

var odd = []string{
	"", " ", "a b", "\t", "\n", "a\nb", "\r\n", "'", "''", "it's", `"`, `\`, `\n`, `\'`, "$HOME", "${x}", "$(id)", "`id`", "!", "!!",
	"*", "?", "[a]", "{a,b}", "~", "~root", "a=b", "=", "-n", "--", "-", "%s", "#", "a#b", ";", "&", "|", "<", ">", "(", ")",
	"\x01\x7f", "\x80\xff", "ü", "\u202e", strings.Repeat("x", 200), strings.Repeat("'", 200),
}

func TestEveryShellReadsWordsBack(t *testing.T) {
	for _, shell := range [][]string{{"dash"}, {"bash"}, {"bash", "--posix"}, {"busybox", "sh"}} {
		t.Run(strings.Join(shell, " "), func(t *testing.T) {
			if _, err := exec.LookPath(shell[0]); err != nil {
				t.Skipf("%s is not installed", shell[0])
			}
			if got, want := readBack(t, shell, posixsh.Words(odd...)), strings.Join(odd, "\x00")+"\x00"; got != want {
				t.Errorf("got  %q\nwant %q", got, want)
			}
		})
	}
}

// TestLoginShellsReadCommandLines: fish and tcsh hand a line of quoted words on, as
// long as no word has what they understand inside quotes ("!", a backslash, a newline).
func TestLoginShellsReadCommandLines(t *testing.T) {
	for _, shell := range []string{"fish", "tcsh"} {
		t.Run(shell, func(t *testing.T) {
			if _, err := exec.LookPath(shell); err != nil {
				t.Skipf("%s is not installed", shell)
			}
			var plain []string
			for _, word := range odd {
				if !strings.ContainsAny(word, "!\\\n") && strings.ToValidUTF8(word, "") == word {
					plain = append(plain, word)
				}
			}
			line := posixsh.Words(append([]string{"/bin/sh", "-c", `printf "%s|" "$@"`, "sh"}, plain...)...)
			out, err := exec.Command(shell, "-c", line).CombinedOutput()
			if want := strings.Join(plain, "|") + "|"; err != nil || string(out) != want {
				t.Errorf("%v\ngot  %q\nwant %q", err, out, want)
			}
		})
	}
}

func TestNULIsDropped(t *testing.T) {
	if got := posixsh.Quote("a\x00b"); got != "ab" {
		t.Errorf("got %q", got)
	}
	if got := posixsh.Quote("\x00"); got != "''" {
		t.Errorf("got %q", got)
	}
}

func FuzzWordsReadBack(f *testing.F) {
	for i, word := range odd {
		f.Add(word, odd[len(odd)-1-i])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		want := strings.ReplaceAll(a, "\x00", "") + "\x00" + strings.ReplaceAll(b, "\x00", "") + "\x00"
		if got := readBack(t, []string{"sh"}, posixsh.Words(a, b)); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
