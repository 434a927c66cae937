package apply_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pdprov/pdprov/engine/apply"
	"github.com/pdprov/pdprov/engine/look"
	"github.com/pdprov/pdprov/hcl/model"
	"github.com/pdprov/pdprov/internal/lab"
	"github.com/pdprov/pdprov/remote/ssh"
)

// order is one apply, also for a process of its own that can be killed.
type order struct {
	Lab    string        // folder
	Host   string        // name
	Stages []model.Stage // all on it
	Within time.Duration // RebootDeadline
	HangAt apply.EventType
}

// run carries an order out and tells of each event.
func (o order) run(ctx context.Context, events func(apply.Event)) (apply.Summary, error) {
	l, err := lab.Open(o.Lab)
	if err != nil {
		return apply.Summary{}, err
	}
	d := &model.Deployment{Hosts: []model.Host{{Name: o.Host, Address: o.Host}}, Stages: o.Stages}
	f := look.NewFleet(d, look.FleetOptions{SSH: ssh.Options{
		ConfigFile: l.SSHConfig(), DialContext: l.DialContext,
		ConnectTimeout: 2 * time.Second, HandshakeTimeout: 10 * time.Second, KeepAlive: 2 * time.Second,
	}})
	defer f.Close()
	return apply.Run(ctx, f, d, kinds, apply.Options{
		Owner: "alice", From: "laptop", PID: os.Getpid(), LockWait: time.Minute,
		LinkDeadline: 20 * time.Second, RebootDeadline: o.Within, Events: events,
	})
}

// asController makes the test binary the controller of one order, which it reads.
const asController = "PDPROV_TEST_CONTROLLER"

func TestMain(m *testing.M) {
	if os.Getenv(asController) == "" {
		os.Exit(m.Run())
	}
	var o order
	if err := json.NewDecoder(os.Stdin).Decode(&o); err != nil {
		panic(err)
	}
	o.run(context.Background(), func(e apply.Event) {
		fmt.Println(e.Type)
		if e.Type == o.HangAt {
			select {}
		}
	})
}

// box is one host of the lab with the kinds' unit on it.
type box struct {
	*testing.T
	*lab.Host
	lab *lab.Lab
}

func open(t *testing.T, l *lab.Lab, name string) box {
	b := box{t, l.Host(name), l}
	b.sh("cat >/etc/systemd/system/copy.service <<'X'\n" + copyUnit + "X\nsystemctl enable -q copy.service; printf old >" + configuredPath + "; cp " + configuredPath + " " + loadedPath)
	return b
}

// sh runs text on the host, without pdprov's own ways.
func (b box) sh(text string) string {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.T.Context(), time.Minute)
	defer cancel()
	out, err := b.Exec(ctx, "/bin/sh", "-euc", text)
	if err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return strings.TrimSpace(string(out))
}

const bootID = "cat /proc/sys/kernel/random/boot_id"

func (b box) order(within time.Duration, stages ...model.Stage) order {
	return order{Lab: b.lab.Dir(), Host: b.Name, Stages: stages, Within: within}
}

// told is what an apply said, in order.
type told struct {
	mu   sync.Mutex
	list []apply.Event
}

func (t *told) add(e apply.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.list = append(t.list, e)
}

// index finds the first event of a type, of a stage if one is given; -1 for none.
func (t *told) index(kind apply.EventType, addr string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.IndexFunc(t.list, func(e apply.Event) bool { return e.Type == kind && (addr == "" || e.Stage == addr) })
}

func (t *told) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var b strings.Builder
	for _, e := range t.list {
		fmt.Fprintf(&b, "%s %s %s %s%s\n", e.Time.Format("05.000"), e.Type, e.Stage, e.Message, e.Error)
	}
	return b.String()
}

// apply carries an order out; the host must be reached at the start.
func (b box) apply(ctx context.Context, o order) (apply.Summary, *told, error) {
	b.Helper()
	t := &told{}
	s, err := o.run(ctx, t.add)
	return s, t, err
}

// good carries an order out and wants all of it done or in sync.
func (b box) good(o order) (apply.Summary, *told) {
	b.Helper()
	s, events, err := b.apply(b.T.Context(), o)
	if err != nil || s.Failed+s.Unknown+s.Skipped+s.Unreachable > 0 {
		b.Fatalf("%+v %v\n%s", s, err, events)
	}
	return s, events
}

// killed carries an order out in a process of its own, which is killed when it has told
// of an event and some time has passed.
func (b box) killed(o order, at apply.EventType, after time.Duration) {
	b.Helper()
	program, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), asController+"=1")
	stdin, err1 := cmd.StdinPipe()
	stdout, err2 := cmd.StdoutPipe()
	cmd.Stderr = os.Stderr
	if err1 != nil || err2 != nil || cmd.Start() != nil {
		b.Fatal(err1, err2, "the controller does not start")
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	json.NewEncoder(stdin).Encode(o)
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		if lines.Text() == string(at) {
			go io.Copy(io.Discard, stdout)
			time.Sleep(after)
			return
		}
	}
	b.Fatalf("the controller ended before %s", at)
}
