package supervisor

import (
	"encoding/binary"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pdprov/pdprov/internal/lab/gpubox"
)

// Requests of the FUSE protocol. Those that are not named here are answered with "not
// implemented".
const (
	fuseForget      = 2
	fuseGetattr     = 3
	fuseOpen        = 14
	fuseInit        = 26
	fuseInterrupt   = 36
	fuseBatchForget = 42
)

// hang mounts a file in the host that opens never: the other side is this process, which
// takes the request and does not answer. A process that waits for it does not end by
// SIGKILL. It ends with the host, whose own end would else wait for that process.
func (h *host) hang() error {
	leader := h.status().Leader
	if leader == 0 {
		return fmt.Errorf("%s is off", h.Name)
	}
	fd, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("a hang that nothing ends needs FUSE on this machine: /dev/fuse: %w", err)
	}
	mounted := make(chan error)
	go func() { mounted <- mountIn(leader, fd) }()
	if err := <-mounted; err != nil {
		return errors.Join(err, unix.Close(fd))
	}
	device := os.NewFile(uintptr(fd), "/dev/fuse") // not sooner: what is not mounted wakes no poll
	go neverAnswer(device)
	go func() {
		for !exiting(leader) {
			time.Sleep(100 * time.Millisecond)
		}
		device.Close() // all who wait get an error and end
	}()
	return nil
}

// mountIn enters the host's mounts. Its thread must not serve other goroutines after
// that: it stays locked and so ends with its goroutine.
func mountIn(leader, fd int) error {
	runtime.LockOSThread()
	if err := unix.Unshare(unix.CLONE_FS); err != nil {
		return err
	}
	mounts, err := os.Open(fmt.Sprintf("/proc/%d/ns/mnt", leader))
	if err != nil {
		return err
	}
	defer mounts.Close()
	if err := unix.Setns(int(mounts.Fd()), unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("entering the host's mounts: %w", err)
	}
	options := fmt.Sprintf("fd=%d,rootmode=100444,user_id=0,group_id=0,allow_other", fd)
	if err := unix.Mount("pdlab-hang", gpubox.Run+"/hang", "fuse.pdlab", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		return fmt.Errorf("mounting the hang in the host: %w", err)
	}
	return nil
}

// neverAnswer greets the kernel and says what kind of file there is, so that looking at
// folders does not hang, and takes an open without a word.
func neverAnswer(device *os.File) {
	buffer := make([]byte, 1<<17)
	for {
		n, err := device.Read(buffer)
		if errors.Is(err, unix.EINTR) || errors.Is(err, unix.ENOENT) {
			continue
		}
		if err != nil {
			return // closed, or unmounted
		}
		if n < 40 {
			continue
		}
		var body []byte
		var status int32
		switch binary.LittleEndian.Uint32(buffer[4:]) {
		case fuseInit:
			body = make([]byte, 64)
			binary.LittleEndian.PutUint32(body, 7)
			binary.LittleEndian.PutUint32(body[4:], 31)
			binary.LittleEndian.PutUint32(body[20:], 1<<16) // the most that is written at once
		case fuseGetattr:
			body = make([]byte, 104)
			binary.LittleEndian.PutUint64(body[16:], 1)           // inode
			binary.LittleEndian.PutUint32(body[16+60:], 0o100444) // mode
			binary.LittleEndian.PutUint32(body[16+64:], 1)        // links
		case fuseOpen, fuseForget, fuseInterrupt, fuseBatchForget: // the last three want no answer
			continue
		default:
			status = -int32(unix.ENOSYS)
		}
		reply := binary.LittleEndian.AppendUint32(nil, uint32(16+len(body)))
		reply = binary.LittleEndian.AppendUint32(reply, uint32(status))
		reply = append(reply, buffer[8:16]...)
		if _, err := device.Write(append(reply, body...)); err != nil && !errors.Is(err, unix.ENOENT) {
			log.Printf("the hang: %v", err)
		}
	}
}

// exiting is true for a process that is gone or on its way out: the first process of a
// host stays on that way until all others of the host have ended.
func exiting(pid int) bool {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return true
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) < 7 {
		return true
	}
	const flagExiting = 0x4
	flags, err := strconv.ParseUint(fields[6], 10, 64)
	return err != nil || flags&flagExiting != 0
}
