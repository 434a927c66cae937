// Package boot reboots a host and knows when it is back: not when something answers
// there, but when another boot does.
package boot

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/remote"
)

// answer is what a host says of itself.
type answer struct {
	id    string // of the boot
	state string // what systemd says of itself: "starting", "running", "stopping"; "" when it says nothing
}

// askScript bounds systemctl: in a boot and in a shutdown it may wait for a bus that is
// not there.
const askScript = `read -r boot </proc/sys/kernel/random/boot_id || exit 1
printf '%s %s\n' "$boot" "$(timeout 5 systemctl is-system-running 2>/dev/null)"`

// orderScript orders the reboot of the boot that its word names, and of no other, so
// that it may be sent again when nobody knows whether it arrived. What is refused because
// the host goes down already is not refused.
const orderScript = `read -r boot </proc/sys/kernel/random/boot_id || exit 1
[ "$boot" = "$1" ] || exit 0
systemctl reboot --no-block && exit 0
rc=$?
[ "$(timeout 5 systemctl is-system-running 2>/dev/null)" = stopping ] && exit 0
exit "$rc"`

// askLimit bounds one question, with the way to the host.
const askLimit = 20 * time.Second

var idForm = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// ID is the boot that a host is in, as the kernel names it.
func ID(ctx context.Context, h remote.Host) (string, error) {
	a, err := ask(ctx, h, askLimit)
	return a.id, err
}

func ask(ctx context.Context, h remote.Host, limit time.Duration) (answer, error) {
	res, err := h.Run(ctx, remote.Command{Script: askScript, Timeout: limit, MaxBytes: 4096})
	if err != nil {
		return answer{}, err
	}
	id, state, _ := strings.Cut(strings.TrimSuffix(string(res.Stdout), "\n"), " ")
	if res.Exit != 0 || !idForm.MatchString(id) {
		return answer{}, fmt.Errorf("%s: which boot it is in cannot be read: exit status %d: %.200q", h.Name(), res.Exit, words(res))
	}
	return answer{id, state}, nil
}

// errCutOff says that an order was ended in the middle.
var errCutOff = errors.New("the order was cut off")

// RefusedError says that a host did not take the order to reboot, in its own words.
type RefusedError struct {
	Host, Words string
	Exit        int
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s: the reboot was refused: exit status %d: %s", e.Host, e.Exit, e.Words)
}

// order is nil when the host took the order. A shell that was killed may have been
// killed by the very shutdown.
func order(ctx context.Context, h remote.Host, id string, limit time.Duration) error {
	res, err := h.Run(ctx, remote.Command{Script: "set -- " + posixsh.Words(id) + "\n" + orderScript, Timeout: limit})
	switch {
	case err != nil:
		return err
	case res.Exit > 128:
		return fmt.Errorf("%w: exit status %d", errCutOff, res.Exit)
	case res.Exit != 0:
		return &RefusedError{Host: h.Name(), Words: words(res), Exit: res.Exit}
	}
	return nil
}

// words are what a script said, on one line.
func words(res remote.Result) string {
	text := string(res.Stderr)
	if strings.TrimSpace(text) == "" {
		text = string(res.Stdout)
	}
	return strings.Join(strings.FieldsFunc(strings.TrimSpace(text), func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
}
