package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/pdprov/pdprov/internal/lab/wire"
)

// WaitSSH returns when the host's sshd has sent its greeting. A host that is off or
// whose link is cut is an error at once.
func (h *Host) WaitSSH(ctx context.Context) error {
	for {
		greeting := h.greeting(ctx)
		if greeting == nil {
			return nil
		}
		now, err := h.Status()
		if err != nil {
			return err
		}
		if !now.Running {
			return fmt.Errorf("%s is off; its console said: %s", h.Name, h.console())
		}
		if now.Cut {
			return fmt.Errorf("%s does not answer, because its link is cut", h.Name)
		}
		if err := pause(ctx); err != nil {
			return fmt.Errorf("%s does not answer on its ssh port (%w, %w); its console said: %s\nits systemd says: %s", h.Name, err, greeting, h.console(), h.services())
		}
	}
}

// greeting is nil when sshd, and not only the port, answers.
func (h *Host) greeting(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	conn, err := h.lab.DialContext(ctx, "tcp", net.JoinHostPort(h.Address, "22"))
	if err != nil {
		return err
	}
	defer conn.Close()
	deadline, _ := ctx.Deadline()
	conn.SetDeadline(deadline)
	hello := make([]byte, 4)
	if _, err := io.ReadFull(conn, hello); err != nil {
		return err
	}
	if string(hello) != "SSH-" {
		return fmt.Errorf("port 22 says %q", hello)
	}
	return nil
}

func (h *Host) console() string {
	return strings.TrimSpace(tail(filepath.Join(h.lab.dir, wire.HostsDir, h.Name, "console.log")))
}

// services is what systemd in the host says of a boot that has not brought sshd.
func (h *Host) services() string {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	said, err := h.Exec(ctx, "sh", "-c", "systemctl is-system-running; systemctl --no-pager list-jobs; systemctl --no-pager --failed; systemctl --no-pager -n 5 status ssh")
	if text := strings.TrimSpace(string(said)); text != "" {
		return text
	}
	return fmt.Sprint(err)
}

// waitAll waits for all hosts side by side and reports each that fails.
func (l *Lab) waitAll(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, l.bootLimit()+time.Duration(l.state.Hosts)*2*time.Second)
	defer cancel()
	hosts := l.Hosts()
	errs := make([]error, len(hosts))
	var all sync.WaitGroup
	for i, h := range hosts {
		all.Go(func() { errs[i] = h.WaitSSH(ctx) })
	}
	all.Wait()
	return errors.Join(errs...)
}
