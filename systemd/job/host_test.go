package job_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/pdprov/pdprov/remote"
	"github.com/pdprov/pdprov/stages/stage"
	"github.com/pdprov/pdprov/systemd/job"
)

// testRaces: of several starters of one stage, one wins and the others are told of it.
func testRaces(p practice) {
	others := []remote.Host{p.Host, p.dial()}
	defer others[1].Close()
	for round := range 20 {
		var refs []job.Ref
		var mu sync.Mutex
		var all sync.WaitGroup
		for i := range 4 {
			all.Go(func() {
				s := spec(fmt.Sprintf("r-race-%d-%d", round, i), "command.race", "echo ran >>/run/raced; until [ -e /run/raced.end ]; do sleep 0.05; done")
				s.Owner = fmt.Sprintf("owner%d", i)
				s.Steps[0].Files = []stage.File{{Name: "big", Data: make([]byte, i*100_000)}}
				ref, err := job.Start(p.Context(), others[i%2], s)
				mu.Lock()
				defer mu.Unlock()
				var running *job.RunningError
				switch {
				case err == nil:
					refs = append(refs, ref)
				case !errors.As(err, &running):
					p.Errorf("round %d: %v", round, err)
				case running.Status.Owner == "somebody" || running.Status.Since == "":
					p.Errorf("round %d: %v", round, err)
				}
			})
		}
		all.Wait()
		if len(refs) != 1 {
			p.Fatalf("round %d: %d starters won", round, len(refs))
		}
		p.beside("touch /run/raced.end")
		if st, _ := p.end(refs[0]); !st.Result.OK() {
			p.Errorf("round %d: %+v", round, st)
		}
		if n := p.beside("wc -l </run/raced; rm /run/raced /run/raced.end; find " + job.Root + " -name '*.new.*'"); n != "1\n" {
			p.Fatalf("round %d: ran and left: %s", round, n)
		}
	}
}

const odd = "a b\t\"c'd`e$(f)$HOME\\n%n%%\n line two\r\u00fc\u2603\xff -x"

// everyByte is all that a value of an environment variable can hold.
func everyByte() string {
	var b []byte
	for i := 1; i < 256; i++ {
		b = append(b, byte(i))
	}
	return string(b)
}

// testContent sends files with odd names and many bytes, and odd values.
func testContent(p practice) {
	big := make([]byte, 20<<20)
	r := rand.NewChaCha8([32]byte{1})
	r.Read(big)
	names := []string{odd, "-rf", "..x", " ", "*", strings.Repeat("n", 255), "big"}
	var files []stage.File
	for _, name := range names {
		files = append(files, stage.File{Name: name, Data: []byte("data of " + name)})
	}
	files[len(files)-1].Data = big
	s := spec("r-content", `module.x["a/b ü%n$HOME"].file.`+odd, `cd "$PDPROV_FILES"; ls -A | wc -l; sha256sum <big; stat -c %a -- * | sort -u; printf '<%s>' "$ODD" "$BYTES" "$EMPTY" "$HOME" "$LC_ALL" "$PWD" "$STEP" "$(umask)"`)
	s.Env = map[string]string{"ODD": odd, "BYTES": everyByte(), "EMPTY": "", "STEP": "overridden"}
	s.Steps[0].Files = files
	s.Steps[0].Title = "title\nof 'two' $lines"
	s.Steps[0].Env = map[string]string{"STEP": "$(touch /run/forged)`touch /run/forged`"}
	s.Steps = append(s.Steps, stage.Step{Title: "second", Script: `cat "$PDPROV_FILES/big"; pwd; ls -A "$PDPROV_FILES" | wc -l`, Files: []stage.File{{Name: "big", Data: []byte("another file\n")}}})
	ref := p.start(s)
	st, log := p.end(ref)
	sum := sha256.Sum256(big)
	want := fmt.Sprintf("== title of 'two' $lines\n%d\n%s  -\n600\n<%s><%s><><%s><C><%s><%s><0022>== second\nanother file\n/\n1\n",
		len(names)+1, hex.EncodeToString(sum[:]), odd, everyByte(), "/root", ref.Dir+"/files/0", s.Steps[0].Env["STEP"])
	if !st.Result.OK() || log != want {
		p.Errorf("%+v\n%q\nwant\n%q", st.Result, log, want)
	}
	if st.Ref.Run != s.Run || !strings.HasPrefix(st.Ref.Stage, "module.x") {
		p.Errorf("found as %+v", st.Ref)
	}
	p.beside("test ! -e /run/forged")
}

// testSecrets looks everywhere on the host where others could see a value.
func testSecrets(p practice) {
	const secret = "hunter2-7f3a"
	s := spec("r-secret", "command.secret", `cat "$PDPROV_FILES/token" >/run/used; echo ready; until [ -e /run/secret.end ]; do sleep 0.05; done`)
	s.Env = map[string]string{"TOKEN": secret}
	s.Steps[0].Env = map[string]string{"TOKEN2": secret}
	s.Steps[0].Files = []stage.File{{Name: "token", Data: []byte(secret)}}
	ref := p.start(s)
	p.awaitLog(ref, "ready")
	seen := p.beside("systemctl show " + ref.Unit + "; systemctl cat " + ref.Unit + "; ps -eww -o args; journalctl --no-pager; cat " + ref.Dir + "/log")
	if strings.Contains(seen, secret) {
		p.Error("the secret can be seen while the job runs")
	}
	modes := p.beside("find " + ref.Dir + " -type d ! -perm 0700 -o -type f ! -perm 0600")
	if modes != "" {
		p.Errorf("open to others: %s", modes)
	}
	p.beside("touch /run/secret.end")
	p.end(ref)
	if left := p.beside("rm /run/secret.end /run/used; journalctl --no-pager | grep -F " + secret + " || :; grep -rl " + secret + " /var/lib/pdprov || :"); left != "" {
		p.Errorf("the secret is left in %s", left)
	}
}

// testLogs: long lines, carriage returns, every byte, a fast writer; none is lost.
func testLogs(p practice) {
	s := spec("r-logs", "command.logs", `cat "$PDPROV_FILES/bytes"; printf '\n'; head -c 3000000 /dev/zero | tr '\0' x; printf '\n'
i=0; while [ $i -lt 1000 ]; do printf '\r%d %%' $i; i=$((i+1)); done
seq 1 200000; printf 'whole\njob=x\nno newline at the end'`)
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	s.Steps[0].Files = []stage.File{{Name: "bytes", Data: every}}
	var want bytes.Buffer
	want.WriteString("== the step\n" + string(every) + "\n" + strings.Repeat("x", 3000000) + "\n")
	for i := range 1000 {
		fmt.Fprintf(&want, "\r%d %%", i)
	}
	for i := range 200000 {
		fmt.Fprintln(&want, i+1)
	}
	want.WriteString("whole\njob=x\nno newline at the end")
	ref := p.start(s)
	st, log := p.end(ref)
	if log != want.String() || st.Size != int64(want.Len()) {
		p.Errorf("%d bytes came, %d wanted, size %d", len(log), want.Len(), st.Size)
	}
	var tail bytes.Buffer
	if err := job.Log(p.Context(), p.Host, ref, st.Size-5, &tail); err != nil || tail.String() != "e end" {
		p.Errorf("the end of the log: %v %q", err, tail.String())
	}
	full := errors.New("full")
	if err := job.Log(p.Context(), p.Host, ref, 0, failing{full}); !errors.Is(err, full) {
		p.Errorf("a log that cannot be written: %v", err)
	}
}

// testOffset follows a job that runs from the middle of its log, and from behind its end.
func testOffset(p practice) {
	ref := p.start(spec("r-offset", "command.offset", "seq 1 1000; until [ -e /run/offset.end ]; do sleep 0.05; done; seq 1001 2000"))
	p.awaitLog(ref, "\n1000\n")
	const from = 1234
	var got bytes.Buffer
	st, err := job.Follow(p.Context(), p.Host, ref, from, func(chunk []byte, end int64) {
		if got.Len() == 0 {
			p.beside("touch /run/offset.end")
		}
		got.Write(chunk)
		if end != from+int64(got.Len()) {
			p.Errorf("after %d bytes from %d the offset is %d", got.Len(), from, end)
		}
	}, job.FollowOptions{Deadline: time.Minute})
	p.beside("rm /run/offset.end")
	_, whole := p.end(ref)
	if err != nil || !st.Result.OK() || got.String() != whole[from:] {
		p.Errorf("%v %+v: %d bytes came, %d wanted", err, st, got.Len(), len(whole)-from)
	}
	st, err = job.Follow(p.Context(), p.Host, ref, st.Size+9, func(chunk []byte, _ int64) {
		p.Errorf("behind the end of the log stands %q", chunk)
	}, job.FollowOptions{})
	if err != nil || !st.Result.OK() {
		p.Errorf("from behind the end: %v %+v", err, st)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// testDisk: a full disk, one that cannot be written, and a job that fills it.
func testDisk(p practice) {
	root := "/var/lib/pdprov"
	p.beside("mkdir -p " + root + "; mount -t tmpfs -o size=1M tmpfs " + root)
	defer p.beside("umount " + root)
	s := spec("r-full", "command.full", "true")
	s.Steps[0].Files = []stage.File{{Name: "big", Data: make([]byte, 3<<20)}}
	_, err := job.Start(p.Context(), p.Host, s)
	if err == nil || !strings.Contains(err.Error(), "No space left on device") || !strings.Contains(err.Error(), "nothing was started") {
		p.Errorf("on a full disk: %v", err)
	}
	if left := p.beside("find " + root + " -mindepth 2"); left != "" {
		p.Errorf("left after a full disk: %s", left)
	}
	p.beside("mount -o remount,ro " + root)
	_, err = job.Start(p.Context(), p.Host, spec("r-ro", "command.ro", "true"))
	if err == nil || !strings.Contains(err.Error(), "Read-only file system") {
		p.Errorf("on a disk that is read-only: %v", err)
	}
	p.beside("mount -o remount,rw " + root)
	ref := p.start(spec("r-fill", "command.fill", "echo filling; cat /dev/zero >"+root+"/filler"))
	st, log := p.end(ref)
	if st.State != job.Failed || st.Result.Describe() != "failed with exit status 1" || !strings.Contains(log, "filling") {
		p.Errorf("a job that fills the disk: %s %+v %s", st.Result.Describe(), st, log)
	}
	p.beside("rm " + root + "/filler; mount -o remount,noexec " + root + "; mount -t tmpfs -o noexec tmpfs /tmp")
	defer p.beside("umount /tmp")
	if st, log := p.end(p.start(spec("r-noexec", "command.noexec", "echo fine"))); !st.Result.OK() {
		p.Errorf("with noexec: %+v %s", st, log)
	}
}

// testBareHost: nothing was ever run, and what is refused.
func testBareHost(p practice) {
	p.beside("rm -rf /var/lib/pdprov")
	if jobs, err := job.Find(p.Context(), p.Host); err != nil || len(jobs) != 0 {
		p.Errorf("on a bare host: %v %v", jobs, err)
	}
	p.beside("test ! -e /var/lib/pdprov")
	if _, err := job.Follow(p.Context(), p.Host, job.RefOf("r-x", "command.x"), 0, nil, job.FollowOptions{}); err == nil {
		p.Error("a job that never was is followed")
	}
	p.beside("mkdir -p /run/hidden; mount --bind /run/hidden /run/systemd/system")
	p.beside("umount /run/systemd/system; mv /run/systemd/system /run/systemd/away")
	_, err := job.Start(p.Context(), p.Host, spec("r-none", "command.x", "true"))
	p.beside("mv /run/systemd/away /run/systemd/system")
	if err == nil || !strings.Contains(err.Error(), "does not run systemd") {
		p.Errorf("without systemd: %v", err)
	}
	s := spec("r-limit", "command.x", "true")
	s.MemoryMax = "much"
	if _, err := job.Start(p.Context(), p.Host, s); err == nil || !strings.Contains(err.Error(), "MemoryMax") {
		p.Errorf("a limit that systemd does not know: %v", err)
	}
	if left := p.beside("find /var/lib/pdprov -mindepth 2"); left != "" {
		p.Errorf("left: %s", left)
	}
}

// testStalledStart cuts the link while the files travel: nothing starts, also not when
// the link is back, and the next start is not in the way of it.
func testStalledStart(p practice) {
	s := spec("r-stalled", "command.stalled", "echo ran >>/run/stalled")
	s.Steps[0].Files = []stage.File{{Name: "big", Data: make([]byte, 60<<20)}}
	ctx, cancel := context.WithCancel(p.Context())
	done := make(chan error, 1)
	go func() {
		_, err := job.Start(ctx, p.Host, s)
		done <- err
	}()
	for p.Context().Err() == nil && p.beside("ls -d "+job.Root+"/*/*.new.* 2>/dev/null || :") == "" {
		time.Sleep(5 * time.Millisecond)
	}
	if err := p.box.Cut(); err != nil {
		p.Fatal(err)
	}
	err := <-done
	cancel()
	if !remote.IsUnknown(err) {
		p.Errorf("a start over a cut link: %v", err)
	}
	if err := p.box.Mend(); err != nil {
		p.Fatal(err)
	}
	p.Host = p.dial()
	if _, found := p.status(job.RefOf(s.Run, s.Stage)); found {
		p.Error("a job that did not arrive whole has started")
	}
	st, log := p.end(p.start(s))
	if !st.Result.OK() || p.beside("cat /run/stalled") != "ran\n" {
		p.Errorf("%+v %s", st, log)
	}
	st, _ = p.end(p.start(s)) // the same run: it is the same job
	if !st.Result.OK() || p.beside("cat /run/stalled") != "ran\n" {
		p.Errorf("started again by the same run: %+v", st)
	}
}
