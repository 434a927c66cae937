package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/pdprov/pdprov/internal/lab"
)

func up(u *call) error {
	if err := u.want(0, 0, "[--hosts N] [--profile NAME] [--vm]"); err != nil {
		return err
	}
	count := u.flag("hosts").(int)
	if count < 1 {
		return fmt.Errorf("--hosts %d: a lab has at least one host", count)
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	tied := u.flag("until-stdin-closes").(bool)
	begin := time.Now()
	l, err := lab.Up(ctx, lab.Options{
		Dir: u.dir, Hosts: count, Profile: u.flag("profile").(string), VM: u.flag("vm").(bool),
		Log: os.Stderr, Program: program, Stay: !tied,
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "up in %.1f s; ssh -F file: %s\n", time.Since(begin).Seconds(), l.SSHConfig())
	err = printHosts(l)
	if !tied {
		return err
	}
	waitStdin(ctx)
	return errors.Join(err, l.Down())
}

// waitStdin returns when stdin ends or a signal asks this process to end.
func waitStdin(ctx context.Context) {
	closed := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(closed)
	}()
	select {
	case <-closed:
	case <-ctx.Done():
	}
}

func down(u *call) error {
	if err := u.want(0, 0, ""); err != nil {
		return err
	}
	if l, err := lab.Open(u.dir); err == nil {
		return l.Down()
	}
	if err := lab.Missing(); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "no lab is up in %s\n", u.dir)
	return lab.Clear(u.dir)
}

func hosts(u *call) error {
	if err := u.want(0, 0, ""); err != nil {
		return err
	}
	l, err := lab.Open(u.dir)
	if err != nil {
		return err
	}
	return printHosts(l)
}

func printHosts(l *lab.Lab) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, h := range l.Hosts() {
		s, err := h.Status()
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", s.Name, s.Address, state(s))
	}
	return w.Flush()
}

func state(s lab.Status) string {
	text := "off"
	if s.Running {
		text = "on"
	}
	if s.Cut {
		text += ", link cut"
	}
	if s.Delay > 0 {
		text += fmt.Sprintf(", %v longer round trips", s.Delay)
	}
	if s.Loss > 0 {
		text += fmt.Sprintf(", %v%% loss each way", s.Loss)
	}
	return text
}

func sshConfig(u *call) error {
	if err := u.want(0, 0, ""); err != nil {
		return err
	}
	l, err := lab.Open(u.dir)
	if err != nil {
		return err
	}
	fmt.Println(l.SSHConfig())
	return nil
}

func repository(u *call) error {
	if err := u.want(0, 0, ""); err != nil {
		return err
	}
	l, err := lab.Open(u.dir)
	if err != nil {
		return err
	}
	source, err := l.Repository()
	if err != nil {
		return err
	}
	fmt.Printf("url          %s\nkey          %s\nfingerprint  %s\n", source.URL, source.KeyURL, source.Fingerprint)
	return nil
}
