package apt

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/stages/stage"
	"github.com/pdprov/pdprov/stages/stagetest"
)

// dpkgLog and history are recorded on Debian 12 (dpkg 1.21.22, apt 2.6.1) as far as cmake,
// libuv1 and libpam-systemd:amd64 go. What unattended-upgrades did is in the history as
// https://github.com/cockpit-project/cockpit/issues/20751 shows it. The rest is made up
// after them: jq by dpkg alone, tree in another version, an apt that was killed, programs
// that write no command, and who asked.
const dpkgLog = `2024-07-02 06:18:59 startup archives unpack
2024-07-02 06:18:59 upgrade python3-idna:all 3.3-1 3.3-1+deb12u1
2024-07-02 06:18:59 status half-configured python3-idna:all 3.3-1
2024-07-02 06:19:04 upgrade libfreetype6:amd64 2.12.1+dfsg-5 2.12.1+dfsg-5+deb12u3
2024-07-02 06:19:10 remove linux-image-6.1.0-20-amd64:amd64 6.1.85-1 <none>
2026-09-22 04:55:19 remove libuv1:amd64 1.44.2-1+deb12u1 <none>
2026-12-02 16:50:53 install libuv1:amd64 <none> 1.44.2-1+deb12u1
2026-12-02 16:50:54 install cmake:amd64 <none> 3.25.1-1
2026-12-02 16:57:35 upgrade libpam-systemd:amd64 252.38-1~deb12u1 252.39-1~deb12u2
2026-12-02 16:57:37 upgrade libpam-systemd:i386 252.38-1~deb12u1 252.39-1~deb12u2
2026-12-02 17:30:00 upgrade jq:amd64 1.6-2.1 1.6-2.1+deb12u1
2026-12-02 18:00:01 install tree:amd64 <none> 2.1.0-1
2026-12-02 18:30:01 install killed:amd64 <none> 1
2026-12-02 18:40:01 install gui:amd64 <none> 1
`

const history = `Start-Date: 2024-07-02  06:18:59
Commandline: /usr/bin/unattended-upgrade
Upgrade: python3-idna:amd64 (3.3-1, 3.3-1+deb12u1)
End-Date: 2024-07-02  06:19:00

Start-Date: 2024-07-02  06:19:04
Commandline: /usr/bin/unattended-upgrade
Upgrade: libfreetype6:amd64 (2.12.1+dfsg-5, 2.12.1+dfsg-5+deb12u3)
End-Date: 2024-07-02  06:19:05

Start-Date: 2024-07-02  06:19:09
Commandline: /usr/bin/unattended-upgrade
Remove: linux-image-6.1.0-20-amd64:amd64 (6.1.85-1)
End-Date: 2024-07-02  06:19:15

Start-Date: 2026-09-22  04:55:18
Commandline: apt-get purge -y -qq clang-19 cmake libuv1
Purge: libarchive13:amd64 (3.6.2-1+deb12u5), libuv1:amd64 (1.44.2-1+deb12u1)
End-Date: 2026-09-22  04:55:21

Start-Date: 2026-12-02  16:50:52
Commandline: apt-get install -y -qq --no-install-recommends -o Acquire::http::Proxy=http://u:hunter2@proxy cmake ninja-build libgtest-dev
Requested-By: alice (1000)
Install: libarchive13:amd64 (3.6.2-1+deb12u5, automatic), libgtest-dev:amd64 (1.12.1-0.2), cmake:amd64 (3.25.1-1), libuv1:amd64 (1.44.2-1+deb12u1, automatic)
End-Date: 2026-12-02  16:51:03

Start-Date: 2026-12-02  16:57:34
Commandline: apt-get install -y -qq --no-install-recommends debootstrap systemd-container
Install: libwrap0:amd64 (7.6.q-32, automatic), systemd-container:amd64 (252.39-1~deb12u2)
Upgrade: openssh-client:amd64 (1:9.2p1-2+deb12u6, 1:9.2p1-2+deb12u10), libpam-systemd:amd64 (252.38-1~deb12u1, 252.39-1~deb12u2)
End-Date: 2026-12-02  16:57:48

Start-Date: 2026-12-02  18:00:00
Requested-By: bob (1001)
Install: tree:amd64 (2.2.0-1)
End-Date: 2026-12-02  18:00:09

Start-Date: 2026-12-02  18:30:00
Commandline: apt install killed
Install: killed:amd64 (1)

Start-Date: 2026-12-02  18:40:00
Requested-By: bararan (1000)
Install: gui:amd64 (1)
End-Date: 2026-12-02  18:40:05
`

// ask runs the script over logs that lie elsewhere and reads its answer as a host's.
func ask(t *testing.T, shell []string, dir string, names ...string) stage.Facts {
	t.Helper()
	probes := Probes(names...)
	var logs []stage.Probe
	for _, p := range probes {
		if Evidence(p.ID) {
			p.Script = strings.ReplaceAll(p.Script, "/var/log", posixsh.Quote(dir))
			logs = append(logs, p)
		}
	}
	return stagetest.Look(t, shell, logs)
}

func logs(t *testing.T, files map[string]string) string {
	dir := t.TempDir()
	os.Mkdir(filepath.Join(dir, "apt"), 0o755)
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// origins asks for the origin of installed versions, "" being absent.
func origins(t *testing.T, shell []string, dir string, versions map[string]string) map[string]string {
	t.Helper()
	var names []string
	for name := range versions {
		names = append(names, name)
	}
	facts := ask(t, shell, dir, names...)
	got := map[string]string{}
	for name, version := range versions {
		v := stage.Is(version)
		if version == "" {
			v = stage.Nothing()
		}
		arch := "amd64"
		if _, its, ok := strings.Cut(name, ":"); ok {
			arch = its
		}
		got[name] = origin(facts.Get(dpkgLogID+Base(name)), name, arch, "amd64", v)
	}
	return got
}

func TestOrigin(t *testing.T) {
	const uu, alice = "unattended-upgrades on 2024-07-02 06:", "apt-get install cmake ninja-build libgtest-dev (alice) on 2026-12-02 16:50"
	tests := map[string]struct{ version, by string }{
		"python3-idna":               {"3.3-1+deb12u1", uu + "18"},
		"libfreetype6":               {"2.12.1+dfsg-5+deb12u3", uu + "19"},
		"linux-image-6.1.0-20-amd64": {"", uu + "19"},
		"libuv1":                     {"1.44.2-1+deb12u1", alice},
		"cmake":                      {"3.25.1-1", alice},
		"libpam-systemd":             {"252.39-1~deb12u2", "apt-get install debootstrap systemd-container on 2026-12-02 16:57"},
		"libpam-systemd:i386":        {"252.39-1~deb12u2", "dpkg on 2026-12-02 16:57"},
		"jq":                         {"1.6-2.1+deb12u1", "dpkg on 2026-12-02 17:30"},
		"tree":                       {"2.1.0-1", "dpkg on 2026-12-02 18:00"},
		"killed":                     {"1", "apt install killed on 2026-12-02 18:30"},
		"gui":                        {"1", "apt (bararan) on 2026-12-02 18:40"},
		"nowhere":                    {"1", ""},
		"python3":                    {"3.11.2-1", ""},
	}
	versions := map[string]string{}
	for name, tt := range tests {
		versions[name] = tt.version
	}
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		got := origins(t, shell, logs(t, map[string]string{"dpkg.log": dpkgLog, "apt/history.log": history}), versions)
		for name, tt := range tests {
			if got[name] != tt.by {
				t.Errorf("%s: %q, want %q", name, got[name], tt.by)
			}
		}
		older := origins(t, shell, logs(t, map[string]string{"dpkg.log": dpkgLog, "apt/history.log": history}),
			map[string]string{"cmake": "3.25.1-2", "jq": "", "libfreetype6": "2.12.1+dfsg-5", "linux-image-6.1.0-20-amd64": "6.1.85-1"})
		for name, by := range older {
			if by != "" {
				t.Errorf("%s was not made by %q", name, by)
			}
		}
	})
}

// TestOlderLogs: logrotate leaves the older dpkg.log plain, and packs apt's history.
func TestOlderLogs(t *testing.T) {
	cut := strings.Index(history, "Start-Date: 2026-12-02  16:57")
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write([]byte(history[:cut]))
	w.Close()
	stagetest.EachShell(t, func(t *testing.T, shell []string) {
		for name, text := range map[string]string{"apt/history.log.1": history[:cut], "apt/history.log.1.gz": packed.String()} {
			dir := logs(t, map[string]string{"dpkg.log.1": dpkgLog, name: text, "apt/history.log": history[cut:]})
			got := origins(t, shell, dir, map[string]string{"cmake": "3.25.1-1", "killed": "1"})
			if !strings.Contains(got["cmake"], "(alice)") || !strings.HasPrefix(got["killed"], "apt install killed") {
				t.Errorf("%s: %q", name, got)
			}
		}
		broken := logs(t, map[string]string{"dpkg.log.1": dpkgLog, "apt/history.log.1.gz": "no archive", "apt/history.log": history[cut:]})
		if got := origins(t, shell, broken, map[string]string{"cmake": "3.25.1-1", "killed": "1"}); got["cmake"] != "dpkg on 2026-12-02 16:50" || !strings.HasPrefix(got["killed"], "apt install killed") {
			t.Errorf("an archive that is none: %q", got)
		}
	})
}

// TestCutLogs cuts a history at every byte: what is told is the truth, or less.
func TestCutLogs(t *testing.T) {
	const whole = "run\t2026-12-02 16:50:52\talice\tapt-get install cmake\ninstall\tcmake:amd64\t3.25.1-1\nend\t2026-12-02 16:51:03\n"
	for i := range len(whole) + 1 {
		for _, part := range []string{whole[:i], whole[i:]} {
			body := dpkgLog + "history\n" + part
			by := origin(stage.Answer{Outcome: stage.Answered, Body: []byte(body)}, "cmake", "amd64", "amd64", stage.Is("3.25.1-1"))
			if by != "dpkg on 2026-12-02 16:50" && by != "apt-get install cmake (alice) on 2026-12-02 16:50" {
				t.Errorf("%q: %q", part, by)
			}
		}
	}
}

// TestOddHistory: runs that overlap the time and do not name the version did not make it;
// of two that fit, one without an end gives way.
func TestOddHistory(t *testing.T) {
	run := func(start, by, command, item, end string) string {
		text := "run\t" + start + "\t" + by + "\t" + command + "\n" + item + "\n"
		if end != "" {
			text += "end\t" + end + "\n"
		}
		return text
	}
	const day, cmake = "2026-12-02 ", "install\tcmake:amd64\t3.25.1-1"
	for name, tt := range map[string]struct{ history, by string }{
		"earlier":         {run(day+"16:50:00", "", "apt", cmake, day+"16:50:53"), "dpkg"},
		"later":           {run(day+"16:50:55", "", "apt", cmake, ""), "dpkg"},
		"another package": {run(day+"16:50:00", "", "apt", "install\tcmake-data:amd64\t3.25.1-1", ""), "dpkg"},
		"another arch":    {run(day+"16:50:00", "", "apt", "install\tcmake:i386\t3.25.1-1", ""), "dpkg"},
		"removed":         {run(day+"16:50:00", "", "apt", "remove\tcmake:amd64\t3.25.1-1", ""), "dpkg"},
		"downgraded":      {run(day+"16:50:00", "", "apt", "downgrade\tcmake:amd64\t4.0, 3.25.1-1", ""), "apt"},
		"the old version": {run(day+"16:50:00", "", "apt", "upgrade\tcmake:amd64\t3.25.1-1, 4.0", ""), "dpkg"},
		"killed, again":   {run(day+"16:40:00", "", "first", cmake, "") + run(day+"16:50:50", "", "second", cmake, day+"16:51:00"), "second"},
		"nobody":          {run(day+"16:50:00", "", "", cmake, ""), "dpkg"},
		"no time":         {run("16:50:00", "", "apt", cmake, ""), "dpkg"},
		"fields too many": {"run\t" + day + "16:50:00\ta\tb\tc\n" + cmake + "\n", "dpkg"},
		"hostile":         {run(day+"16:50:00", "\x1b[31m", "apt-get install \xff$(reboot)", cmake, ""), "apt-get install \ufffd$(reboot) (\x1b[31m)"},
		"long":            {run(day+"16:50:00", "", "apt install "+strings.Repeat("é", 300), cmake, ""), "apt install " + strings.Repeat("é", 34) + "..."},
		"python":          {run(day+"16:50:00", "", "/usr/bin/python3 /usr/bin/unattended-upgrade -d", cmake, ""), "unattended-upgrades"},
		"packagekit":      {run(day+"16:50:00", "alice", "packagekit role='update-packages'", cmake, ""), "packagekit role='update-packages' (alice)"},
		"options":         {run(day+"16:50:00", "", "/usr/bin/apt-get -y -t sid -oX=secret --option Y=secret install -- cmake", cmake, ""), "apt-get install cmake"},
	} {
		body := dpkgLog + "history\n" + tt.history
		if by := origin(stage.Answer{Outcome: stage.Answered, Body: []byte(body)}, "cmake", "amd64", "amd64", stage.Is("3.25.1-1")); by != tt.by+" on 2026-12-02 16:50" {
			t.Errorf("%s: %q, want %q", name, by, tt.by)
		}
	}
}

// TestAnswersWithoutHistory are those that were recorded before it was asked for.
func TestAnswersWithoutHistory(t *testing.T) {
	for body, want := range map[string]string{dpkgLog: "dpkg on 2026-12-02 16:50", "history\n": "", "": "", dpkgLog + "history\n": "dpkg on 2026-12-02 16:50"} {
		if by := origin(stage.Answer{Outcome: stage.Answered, Body: []byte(body)}, "cmake", "amd64", "amd64", stage.Is("3.25.1-1")); by != want {
			t.Errorf("%q", by)
		}
	}
	if by := origin(stage.Answer{Outcome: stage.Hung, Body: []byte(dpkgLog)}, "cmake", "amd64", "amd64", stage.Is("3.25.1-1")); by != "" {
		t.Errorf("an answer that did not come: %q", by)
	}
}

func TestLogScriptIsGoodSh(t *testing.T) { stagetest.Lint(t, "log", logScript) }

// TestHostileHistory: long fields, tabs, no end of the last line, and a beginning that
// logrotate or a full disk took away.
func TestHostileHistory(t *testing.T) {
	var many strings.Builder
	for i := range 3000 {
		many.WriteString("lib-" + strings.Repeat("x", i%40) + ":amd64 (1, 2), ")
	}
	run := func(command, items string) string {
		return "Start-Date: 2026-12-02  16:50:52\nCommandline: " + command + "\n" + items
	}
	const cmake = "cmake:amd64 (3.25.1-1)"
	for name, tt := range map[string]struct{ history, who string }{
		"many packages":   {run("apt upgrade", "Upgrade: "+many.String()+"a:amd64 (1, 2)\nInstall: "+many.String()+cmake+"\n"), "apt upgrade"},
		"tabs":            {run("apt\tinstall\tend\t2026", "Install: "+cmake+"\n"), "apt install end 2026"},
		"bytes":           {run("apt \xff\x01", "Install: "+cmake+"\n"), "apt \ufffd\x01"},
		"no end of line":  {run("apt install", "Install: "+cmake), "apt install"},
		"cut in the item": {run("apt install", "Install: cmake:amd64 (3.25.1"), "dpkg"},
		"no beginning":    {"Commandline: apt install\nInstall: " + cmake + "\nEnd-Date: 2026-12-02  16:51:03\n", "dpkg"},
		"no time":         {"Start-Date: now\nCommandline: apt install\nInstall: " + cmake + "\n", "dpkg"},
		"no architecture": {run("apt install", "Install: cmake (3.25.1-1)\n"), "dpkg"},
		"error":           {run("apt install", "Install: "+cmake+"\nError: Sub-process /usr/bin/dpkg returned an error code (1)\nEnd-Date: 2026-12-02  16:51:03\n"), "apt install"},
	} {
		t.Run(name, func(t *testing.T) {
			stagetest.EachShell(t, func(t *testing.T, shell []string) {
				dir := logs(t, map[string]string{"dpkg.log": dpkgLog, "apt/history.log": tt.history})
				if got := origins(t, shell, dir, map[string]string{"cmake": "3.25.1-1"})["cmake"]; got != tt.who+" on 2026-12-02 16:50" {
					t.Errorf("%q, want %q", got, tt.who)
				}
			})
		})
	}
}
