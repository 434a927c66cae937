package sysctl_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/pdprov/pdprov/stages/stage"
	"github.com/pdprov/pdprov/stages/stagetest"
	"github.com/pdprov/pdprov/stages/sysctl"
)

func instance(values map[string]string) stage.Instance {
	return stage.Instance{Addr: "sysctl.vm", Config: stage.Config{Values: map[string]any{"values": values}}}
}

// The kernel's own numbers, tables and text, as the shell-free reader sees them.
func TestLookAtThisKernel(t *testing.T) {
	keys := map[string]string{
		"vm.max_map_count": "1", "kernel.osrelease": "1", "net/ipv4/tcp_rmem": "1", "kernel.core_pattern": "1",
		"vm.pdprov_no_such_key": "1", "net.ipv4": "1",
	}
	in := instance(keys)
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		have := sysctl.Kind{}.Have(in, stagetest.Look(t, shell, sysctl.Kind{}.Probes(in)))
		for _, k := range []string{"vm.max_map_count", "kernel.osrelease", "net/ipv4/tcp_rmem", "kernel.core_pattern"} {
			raw, err := os.ReadFile("/proc/sys/" + strings.ReplaceAll(k, ".", "/"))
			if err != nil {
				t.Log("not compared: ", err)
				continue
			}
			if want := strings.Join(strings.Fields(string(raw)), " "); have[k+".running"].Text != want {
				t.Errorf("%s is %q, the kernel says %q", k, have[k+".running"], want)
			}
		}
		if s := have["vm.pdprov_no_such_key.running"].State; s != stage.None {
			t.Errorf("a missing key is %v", s)
		}
		if s := have["net.ipv4.running"].State; s != stage.Unknown {
			t.Errorf("a folder is %v", s)
		}
		if s := have["vm.max_map_count.boot"].State; s == stage.Unknown {
			t.Errorf("boot: %+v", have["vm.max_map_count.boot"])
		}
	})
}

// Apply and look again inside namespaces of their own: /etc/sysctl.d is a tmpfs there,
// and host name and network settings belong to the namespace.
func TestWorkConverges(t *testing.T) {
	namespaces := []string{"unshare", "--mount", "--uts", "--net"}
	if out, err := exec.Command(namespaces[0], append(slices.Clone(namespaces[1:]), "true")...).CombinedOutput(); err != nil {
		t.Skipf("needs namespaces: %v %s", err, out)
	}
	in := instance(map[string]string{
		"net.ipv4.ip_forward": "1", "net.ipv4.ip_local_port_range": "20000 \t 30000",
		"kernel.domainname": "-e 'a' \"b\" $(id) `id` \\n ü",
	})
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		changes := []stage.Change{{Path: "file.others"}}
		want, _ := sysctl.Kind{}.Want(in, nil)
		for _, path := range want.Paths() {
			changes = append(changes, stage.Change{Path: path})
		}
		w, findings := sysctl.Kind{}.Work(in, nil, changes)
		if len(findings) > 0 {
			t.Fatal(findings)
		}
		all := stage.Step{Script: "mkdir -p /etc/sysctl.d\nmount -t tmpfs none /etc/sysctl.d\n"}
		for _, s := range w.Steps {
			all.Script += "(\n" + s.Script + ")\n"
			all.Files = append(all.Files, s.Files...)
		}
		all.Script += "echo LOOK\n"
		var ids []string
		for i, p := range (sysctl.Kind{}).Probes(in) {
			if i > 0 {
				ids = append(ids, p.ID)
				continue
			}
			all.Files = append(all.Files, stage.File{Name: "boot.sh", Data: []byte(p.Script)})
		}
		all.Files = append(all.Files, stage.File{Name: "running.sh", Data: []byte(sysctl.Kind{}.Probes(in)[1].Script)})
		all.Script += "sh \"$PDPROV_FILES/boot.sh\"\necho NEXT\nsh \"$PDPROV_FILES/running.sh\""
		for _, id := range ids {
			all.Script += " " + strings.TrimPrefix(id, "sysctl:")
		}
		all.Script += "\necho LEFT\nls -A /etc/sysctl.d\n"
		out, err := stagetest.Do(t, append(slices.Clone(namespaces), shell...), all)
		if err != nil {
			t.Fatal(err, out)
		}
		_, looked, _ := strings.Cut(out, "LOOK\n")
		looked, left, _ := strings.Cut(looked, "LEFT\n")
		boot, running, _ := strings.Cut(looked, "NEXT\n")
		facts := stage.Facts{"sysctl.d": {Outcome: stage.Answered, Body: []byte(boot)}}
		for _, id := range ids {
			facts[id] = stage.Answer{Outcome: stage.Answered, Body: []byte(running)}
		}
		have := sysctl.Kind{}.Have(in, facts)
		for _, path := range want.Paths() {
			if !want[path].Matches(have[path]) {
				t.Errorf("%s is %s, want %s", path, have[path], want[path])
			}
		}
		if left != "99-zz-pdprov-sysctl.vm.conf\n" {
			t.Errorf("left in /etc/sysctl.d: %q", left)
		}
	})
}

func TestKernelRefusalEndsTheStep(t *testing.T) {
	if out, err := exec.Command("unshare", "--net", "true").CombinedOutput(); err != nil {
		t.Skipf("needs namespaces: %v %s", err, out)
	}
	in := instance(map[string]string{"net.ipv4.ip_local_port_range": "x"})
	w, _ := sysctl.Kind{}.Work(in, nil, []stage.Change{{Path: "net.ipv4.ip_local_port_range.running"}})
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		out, err := stagetest.Do(t, append([]string{"unshare", "--net"}, shell...), w.Steps[0])
		if err == nil || !strings.Contains(out, "the kernel refused net/ipv4/ip_local_port_range = x") {
			t.Errorf("%v: %s", err, out)
		}
	})
}

func TestFileNamesStayApart(t *testing.T) {
	seen := map[string]string{}
	for _, addr := range []string{
		"sysctl.vm", `sysctl.vm["a b"]`, `sysctl.vm["a/b"]`, `sysctl.vm["../../x"]`, "module.x.sysctl.vm",
		`sysctl.vm["` + strings.Repeat("a", 300) + `"]`, `sysctl.vm["` + strings.Repeat("a", 301) + `"]`,
	} {
		in := instance(map[string]string{"vm.swappiness": "1"})
		in.Addr = addr
		w, _ := sysctl.Kind{}.Work(in, nil, []stage.Change{{Path: "vm.swappiness.file"}})
		file := strings.TrimPrefix(string(w.Writes[0]), "path:")
		if other, twice := seen[file]; twice {
			t.Errorf("%s and %s share %s", addr, other, file)
		}
		seen[file] = addr
		if name := strings.TrimPrefix(file, "/etc/sysctl.d/"); strings.Contains(name, "/") || len(name) > 200 {
			t.Errorf("%s gives %s", addr, file)
		}
	}
}
