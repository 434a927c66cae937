package ssh

import (
	"io"
	"net"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// proxy is a ProxyCommand: its stdin and stdout are the byte stream. Its own messages
// go where pdprov's go.
type proxy struct {
	io.Reader
	io.WriteCloser
	cmd  *exec.Cmd
	once sync.Once
}

func startProxy(command string) (net.Conn, error) {
	p := &proxy{cmd: exec.Command("/bin/sh", "-c", "exec "+command)}
	p.cmd.Stderr = os.Stderr
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var err error
	if p.WriteCloser, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if p.Reader, err = p.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	return p, p.cmd.Start()
}

func (p *proxy) Close() error {
	p.once.Do(func() {
		p.WriteCloser.Close()
		syscall.Kill(-p.cmd.Process.Pid, syscall.SIGTERM)
		go p.cmd.Wait()
	})
	return nil
}

func (p *proxy) LocalAddr() net.Addr              { return noAddr{} }
func (p *proxy) RemoteAddr() net.Addr             { return noAddr{} }
func (p *proxy) SetDeadline(time.Time) error      { return nil }
func (p *proxy) SetReadDeadline(time.Time) error  { return nil }
func (p *proxy) SetWriteDeadline(time.Time) error { return nil }
