package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/pdprov/pdprov/internal/lab"
)

func cut(u *call) error  { return onHost(u, (*lab.Host).Cut) }
func mend(u *call) error { return onHost(u, (*lab.Host).Mend) }

func reboot(u *call) error { return onHost(u, (*lab.Host).Reboot) }

func onHost(u *call, do func(*lab.Host) error) error {
	if err := u.want(1, 1, "HOST"); err != nil {
		return err
	}
	h, err := u.host()
	if err != nil {
		return err
	}
	return do(h)
}

func power(u *call) error {
	const usage = "HOST [off|on]"
	if err := u.want(1, 2, usage); err != nil {
		return err
	}
	h, err := u.host()
	if err != nil {
		return err
	}
	switch strings.Join(u.args[1:], "") {
	case "", "off":
		return h.PowerOff()
	case "on":
		return h.PowerOn()
	}
	return fmt.Errorf("usage: %s %s", u.flags.Name(), usage)
}

func reimage(u *call) error {
	return onHost(u, func(h *lab.Host) error {
		if err := h.Reimage(); err != nil {
			return err
		}
		if u.flag("trust").(bool) {
			return h.Trust()
		}
		return nil
	})
}

func delay(u *call) error {
	if err := u.want(2, 3, "HOST TIME [LOSS%]"); err != nil {
		return err
	}
	d, err := time.ParseDuration(u.args[1])
	if err != nil {
		return fmt.Errorf("%q is not a time such as 80ms, 1.5s or 0", u.args[1])
	}
	var loss float64
	if len(u.args) == 3 {
		if loss, err = strconv.ParseFloat(strings.TrimSuffix(u.args[2], "%"), 64); err != nil {
			return fmt.Errorf("%q is not a percentage such as 5%%", u.args[2])
		}
	}
	h, err := u.host()
	if err != nil {
		return err
	}
	return h.Delay(d, loss)
}

func switches(u *call) error {
	if err := u.want(0, 0, ""); err != nil {
		return err
	}
	p, err := profileOf(u)
	if err != nil {
		return err
	}
	if len(p.Switches) == 0 {
		fmt.Printf("profile %s has no switches\n", p.Name)
	}
	if len(p.Switches) > 0 {
		fmt.Println("The first value of each is what a host starts with.")
	}
	for _, s := range p.Switches {
		fmt.Printf("%s=%s\n    %s\n", s.Name, strings.Join(s.Values, "|"), s.About)
	}
	return nil
}

func set(u *call) error {
	if err := u.want(2, 2, "HOST SWITCH=VALUE"); err != nil {
		return err
	}
	name, value, ok := strings.Cut(u.args[1], "=")
	if !ok {
		return fmt.Errorf("usage: %s HOST SWITCH=VALUE", u.flags.Name())
	}
	h, err := u.host()
	if err != nil {
		return err
	}
	return h.Set(name, value)
}

func profileOf(u *call) (lab.Profile, error) {
	l, err := lab.Open(u.dir)
	if err != nil {
		return lab.Profile{}, err
	}
	return l.Profile()
}
