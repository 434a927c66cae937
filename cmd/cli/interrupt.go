package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// errInterrupted is the reason of a command that the person ended.
var errInterrupted = errors.New("interrupted")

// interruptible ends the context at the first SIGINT or SIGTERM, with a word to the
// person, and the process at the second. stop ends the watch.
func (a *app) interruptible(ctx context.Context, word string) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case <-ctx.Done():
			return
		case <-signals:
		}
		a.say("%s", word)
		cancel()
		<-signals
		os.Exit(exitError)
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel()
	}
}
