package ssh

import (
	"context"
	"io"
	"sync"
	"time"
)

// bound closes a stream when its time is over or ctx ends. Deadlines on the stream
// would not do: one through a jump host knows none.
type bound struct {
	stream io.Closer
	limit  time.Duration
	undo   func() bool

	mu      sync.Mutex
	timer   *time.Timer
	expired bool
	paused  int
}

func newBound(ctx context.Context, stream io.Closer, limit time.Duration) *bound {
	b := &bound{stream: stream, limit: limit}
	b.undo = context.AfterFunc(ctx, func() { stream.Close() })
	b.timer = time.AfterFunc(limit, b.expire)
	return b
}

func (b *bound) expire() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.paused == 0 {
		b.expired = true
		b.stream.Close()
	}
}

// pause stops the time while a person is asked; resume gives all of it again.
func (b *bound) pause() (resume func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.paused++
	b.timer.Stop()
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.paused--
		if b.paused == 0 && !b.expired {
			b.timer.Reset(b.limit)
		}
	}
}

// stop ends the watch and says whether the time was over.
func (b *bound) stop() (expired bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.undo()
	b.timer.Stop()
	return b.expired
}
