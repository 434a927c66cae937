package driver

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/stages/stagetest"
)

// TestReloadStartsWhatItStopped: wherever a reload fails, and where it does not, the
// services run again. modprobe takes a module out by removing its folder.
func TestReloadStartsWhatItStopped(t *testing.T) {
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		for name, c := range map[string]struct {
			fails string
			works bool
		}{
			"nothing fails":            {"", true},
			"a service does not stop":  {`stop() { return 1; }`, false},
			"the module is used":       {`take_out() { return 1; }`, false},
			"the module stays":         {`take_out() { :; }`, false},
			"the module does not load": {`put_in() { return 1; }`, false},
		} {
			dir := t.TempDir()
			if err := os.Mkdir(filepath.Join(dir, "nvidia"), 0o700); err != nil {
				t.Fatal(err)
			}
			out, err := stagetest.Do(t, shell, withApt{}.step("a step",
				"sys_module="+posixsh.Quote(dir),
				"stop() { :; }", `take_out() { rmdir "$sys_module/$1"; }`, "put_in() { :; }", c.fails,
				`systemctl() {
  case $1:$2:${3-} in
  is-active:-q:nvidia-fabricmanager.service) return 1 ;;
  is-active:*) ;;
  stop:*) stop ;;
  start:*) echo "$*" ;;
  esac
}`,
				`modprobe() { if [ "$1" = -r ]; then take_out "$2"; else put_in "$1"; fi; }`,
				"reload_module"))
			want := "start nvidia-persistenced.service nvidia-dcgm.service\n"
			if strings.HasPrefix(name, "a service") {
				want = "start nvidia-persistenced.service\n"
			}
			if (err == nil) != c.works || !strings.Contains(out, want) {
				t.Errorf("%s: %v\n%s", name, err, out)
			}
		}
	})
}
