package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"syscall"

	"github.com/pdprov/pdprov/internal/lab"
	"github.com/pdprov/pdprov/internal/lab/proxy"
	"github.com/pdprov/pdprov/internal/lab/supervisor"
)

func run(u *call) error {
	if err := u.want(1, -1, "CMD..."); err != nil {
		return err
	}
	l, err := lab.Open(u.dir)
	if err != nil {
		return err
	}
	return become(l.NetworkArgs(u.args[0], u.args[1:]...))
}

func execute(u *call) error {
	if err := u.want(2, -1, "HOST CMD..."); err != nil {
		return err
	}
	h, err := u.host()
	if err != nil {
		return err
	}
	words, err := h.ExecArgs(u.args[1:]...)
	if err != nil {
		return err
	}
	return become(words)
}

// become replaces this process, so that exit status, signals and terminal are the
// command's own.
func become(words []string) error {
	path, err := exec.LookPath(words[0])
	if err != nil {
		return err
	}
	return fmt.Errorf("%s: %w", path, syscall.Exec(path, words, os.Environ()))
}

func supervise(*call) error { return supervisor.Run() }

// proxyListener is the file that the supervisor hands over behind two namespaces.
const proxyListener = 5

func serveProxy(u *call) error {
	if err := u.want(1, 1, "DIR"); err != nil {
		return err
	}
	l, err := net.FileListener(os.NewFile(proxyListener, "listener"))
	if err != nil {
		return fmt.Errorf("the proxy is started by a lab's supervisor only: %w", err)
	}
	files := http.FileServer(http.Dir(u.args[0]))
	own := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("If-Modified-Since") // what is signed anew within a second has changed too
		files.ServeHTTP(w, r)
	})
	return proxy.Serve(l, http.ProxyFromEnvironment, own) // what this machine uses itself
}
