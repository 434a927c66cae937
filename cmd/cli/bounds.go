package cli

import (
	"fmt"
	"strconv"
	"time"
)

// count is a flag's whole number between bounds. The flag's default may lie outside.
type count struct {
	n           *int
	least, most int
}

func (c count) String() string { return "" } // what holds without the flag is in its text
func (c count) Type() string   { return "int" }

func (c count) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < c.least || n > c.most {
		return fmt.Errorf("it is a whole number from %d to %d", c.least, c.most)
	}
	*c.n = n
	return nil
}

// span is a flag's duration between bounds. The flag's default may lie outside.
type span struct {
	d           *time.Duration
	least, most time.Duration
}

func (s span) String() string { return "" }
func (s span) Type() string   { return "duration" }

func (s span) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil || d < s.least || d > s.most {
		return fmt.Errorf("it is a duration as 90s, 5m or 1h30m, from %s to %s", s.least, s.most)
	}
	*s.d = d
	return nil
}
