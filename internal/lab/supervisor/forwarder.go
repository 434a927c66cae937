package supervisor

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// forwarder carries frames between two TAP devices, late and with loss. Kernels often
// lack netem; this is the same on all that have TAP.
type forwarder struct{ a, b *os.File }

// forward makes both devices. delay is shared out over the two directions.
func forward(a, b string, delay time.Duration, loss float64) (*forwarder, error) {
	fileA, err := openTAP(a)
	if err != nil {
		return nil, err
	}
	fileB, err := openTAP(b)
	if err != nil {
		fileA.Close()
		return nil, err
	}
	go carry(fileA, fileB, delay/2, loss)
	go carry(fileB, fileA, delay-delay/2, loss)
	return &forwarder{fileA, fileB}, nil
}

// close removes both devices: they last as long as their files.
func (f *forwarder) close() error { return errors.Join(f.a.Close(), f.b.Close()) }

type frame struct {
	due  time.Time
	data []byte
}

// carry reads until the device is closed. A full queue drops, as a router does.
func carry(from, to *os.File, delay time.Duration, loss float64) {
	queue := make(chan frame, 8192)
	defer close(queue)
	go deliver(queue, to)
	buffer := make([]byte, 65536)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		if rand.Float64()*100 < loss {
			continue
		}
		select {
		case queue <- frame{time.Now().Add(delay), append([]byte(nil), buffer[:n]...)}:
		default:
		}
	}
}

// deliver ignores errors: a frame to a device that is down is lost.
func deliver(queue <-chan frame, to *os.File) {
	for f := range queue {
		time.Sleep(time.Until(f.due))
		_, _ = to.Write(f.data)
	}
}

func openTAP(name string) (*os.File, error) {
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("/dev/net/tun (delay needs a kernel with TUN/TAP): %w", err)
	}
	request, err := unix.NewIfreq(name)
	if err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	request.SetUint16(unix.IFF_TAP | unix.IFF_NO_PI)
	if err := unix.IoctlIfreq(fd, unix.TUNSETIFF, request); err != nil {
		return nil, errors.Join(fmt.Errorf("making TAP device %s: %w", name, err), unix.Close(fd))
	}
	return os.NewFile(uintptr(fd), name), nil
}
