package boot

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/pdprov/pdprov/remote"
)

const (
	oldBoot = "0b0e5b7e-1f3c-4b5e-9a53-0c1d2e3f4a5b"
	newBoot = "7c9d1a2b-3c4d-4e5f-8a6b-9c0d1e2f3a4b"
)

// script is a host that gives its answers in turn, and the last one for ever.
type script struct {
	remote.Host
	answers []any // string: stdout; remote.Result; error
	orders  int
}

func (s *script) Name() string { return "h1" }

func (s *script) Run(_ context.Context, cmd remote.Command) (remote.Result, error) {
	if strings.Contains(cmd.Script, "systemctl reboot") {
		s.orders++
	}
	answer := s.answers[0]
	if len(s.answers) > 1 {
		s.answers = s.answers[1:]
	}
	switch a := answer.(type) {
	case error:
		return remote.Result{}, a
	case remote.Result:
		return a, nil
	default:
		return remote.Result{Stdout: []byte(a.(string))}, nil
	}
}

var (
	lost    = &remote.TransportError{Host: "h1", Op: "running a script", Err: errors.New("broken")}
	refused = &remote.ConnectError{Host: "h1", Reason: remote.Refused}
	changed = &remote.ConnectError{Host: "h1", Reason: remote.HostKeyChanged}
	busy    = remote.Result{Exit: 1, Stderr: []byte("Operation already in progress\n")}
)

func TestReboot(t *testing.T) {
	const ordered = ""
	tests := map[string]struct {
		answers []any
		orders  int    // 0 is as many as there is time for
		words   string // of the error; "" is none
	}{
		"at once":                     {[]any{ordered, newBoot + " running\n"}, 1, ""},
		"with trouble":                {[]any{ordered, oldBoot + " stopping\n", lost, refused, newBoot + " starting\n", newBoot + " degraded\n"}, 1, ""},
		"the order is lost":           {[]any{lost, ordered, oldBoot + " running\n", newBoot + " running\n"}, 2, ""},
		"the order is killed":         {[]any{remote.Result{Exit: 143, Signal: "TERM"}, refused, ordered, newBoot + " running\n"}, 3, ""},
		"no session for the order":    {[]any{refused, ordered, newBoot + " running\n"}, 2, ""},
		"refused":                     {[]any{busy}, 1, "the reboot was refused: exit status 1: Operation already in progress"},
		"refused after a lost order":  {[]any{lost, busy, ordered, newBoot + " running\n"}, 3, ""},
		"another key":                 {[]any{ordered, changed}, 1, "host key changed"},
		"another key at the order":    {[]any{changed}, 1, "host key changed"},
		"down again":                  {[]any{ordered, newBoot + " stopping\n", refused, newBoot + " running\n"}, 1, ""},
		"the old boot for ever":       {[]any{ordered, oldBoot + " stopping\n"}, 1, "still answers from the boot before, 2s after"},
		"silent":                      {[]any{ordered, oldBoot + " stopping\n", refused}, 1, "did not come back within 2s after the order to reboot; it is silent since"},
		"never ordered":               {[]any{refused}, 0, "the host did not get the order"},
		"perhaps ordered":             {[]any{lost, refused}, 0, "whether the host got the order is not known"},
		"refused when it is reached":  {[]any{refused, busy}, 2, "was refused"},
		"nonsense":                    {[]any{ordered, "welcome\n"}, 1, `exit status 0: "welcome"`},
		"never up":                    {[]any{ordered, newBoot + " starting\n"}, 1, "which was not up 2s after"},
		"up, and silent":              {[]any{ordered, newBoot + " starting\n", lost}, 1, "came up in another boot and is silent since"},
		"a boot that cannot be asked": {[]any{ordered, remote.Result{Exit: 1, Stderr: []byte("no /proc\n")}}, 1, "no /proc"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := &script{answers: tt.answers}
			deadline := 2 * time.Second
			if tt.words == "" {
				deadline = time.Minute
			}
			err := Reboot(t.Context(), h, oldBoot, deadline)
			if (err == nil) != (tt.words == "") || err != nil && !strings.Contains(err.Error(), tt.words) {
				t.Errorf("%v, wanted %q", err, tt.words)
			}
			if tt.orders != 0 && h.orders != tt.orders {
				t.Errorf("ordered %d times, wanted %d", h.orders, tt.orders)
			}
		})
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(300*time.Millisecond, cancel)
	h := &script{answers: []any{"", oldBoot + " stopping\n"}}
	if err := Reboot(ctx, h, oldBoot, time.Minute); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestID(t *testing.T) {
	if id, err := ID(t.Context(), &script{answers: []any{oldBoot + " \n"}}); err != nil || id != oldBoot {
		t.Errorf("%q %v", id, err)
	}
	for _, bad := range []any{"", "x running\n", oldBoot + "0 running\n", "\n" + oldBoot, remote.Result{Exit: 1, Stdout: []byte(oldBoot)}} {
		if id, err := ID(t.Context(), &script{answers: []any{bad}}); err == nil || id != "" {
			t.Errorf("%q: %q", bad, id)
		}
	}
}
