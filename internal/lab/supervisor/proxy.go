package supervisor

import (
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/pdprov/pdprov/internal/lab/gpubox"
)

// startProxy runs the proxy as a process of its own in the machine's network, with
// a listener that was made in the lab's. It is not a thread of this process: the Go
// resolver may use any thread, and a thread has one network.
func (s *supervisor) startProxy() error {
	l, err := listenGateway()
	if err != nil {
		return err
	}
	file, err := l.File()
	if err != nil {
		return err
	}
	go s.keepProxy(file)
	return l.Close() // file is the listener from here on
}

func (s *supervisor) keepProxy(listener *os.File) {
	for {
		cmd := exec.Command("nsenter", "--net=/proc/self/fd/3", "--mount=/proc/self/fd/4", "--", s.Program, "proxy", filepath.Join(s.Dir, gpubox.Folder))
		cmd.ExtraFiles = append(slices.Clone(s.machine), listener)
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		log.Printf("the proxy ended and is started again: %v", cmd.Run())
		time.Sleep(time.Second)
	}
}
