package supervisor

import (
	"errors"
	"sync"
	"time"
)

// cable joins a host's own small bridge, to which nspawn connects it at every boot,
// with the lab's bridge. What is done to a cable therefore outlasts a reboot. Without
// delay it is a veth pair; with delay it is two TAP devices and a forwarder.
type cable struct {
	host string

	mu    sync.Mutex
	cut   bool
	delay time.Duration
	loss  float64
	slow  *forwarder // nil for a veth pair
}

func (c *cable) bridge() string { return "lk-" + c.host }
func (c *cable) near() string   { return "up-" + c.host } // the host's end
func (c *cable) far() string    { return "dn-" + c.host } // the lab's end

// create makes the host's bridge. It has no ARP: Linux would answer there for the
// gateway's address too, and the host would talk to it past its cable.
func (c *cable) create() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := ips(
		[]string{"link", "add", c.bridge(), "type", "bridge"},
		[]string{"link", "set", c.bridge(), "arp", "off", "up"},
	)
	if err != nil {
		return err
	}
	return c.lay()
}

// lay puts a new pair of ends in place, as delay, loss and cut say.
func (c *cable) lay() error {
	if err := c.makeEnds(); err != nil {
		return err
	}
	return ips(
		[]string{"link", "set", c.near(), "master", c.bridge(), "up"},
		[]string{"link", "set", c.far(), "master", bridge, c.carrier()},
	)
}

func (c *cable) makeEnds() error {
	if c.delay == 0 && c.loss == 0 {
		return ip("link", "add", c.near(), "type", "veth", "peer", "name", c.far())
	}
	slow, err := forward(c.near(), c.far(), c.delay, c.loss)
	c.slow = slow
	return err
}

func (c *cable) takeUp() error {
	if c.slow == nil {
		return ip("link", "delete", c.far())
	}
	err := c.slow.close()
	c.slow = nil
	return err
}

func (c *cable) carrier() string {
	if c.cut {
		return "down"
	}
	return "up"
}

func (c *cable) setCut(cut bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cut = cut
	return ip("link", "set", c.far(), c.carrier())
}

// setDelay adds delay to a round trip and loses a percentage of packets each way.
func (c *cable) setDelay(delay time.Duration, loss float64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.takeUp(); err != nil {
		return err
	}
	oldDelay, oldLoss := c.delay, c.loss
	c.delay, c.loss = delay, loss
	if err := c.lay(); err != nil {
		c.delay, c.loss = oldDelay, oldLoss
		return errors.Join(err, c.lay())
	}
	return nil
}

func (c *cable) state() (cut bool, delay time.Duration, loss float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cut, c.delay, c.loss
}
