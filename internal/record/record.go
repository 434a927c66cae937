// Package record is how probe scripts hand data to Go: named records with their
// length in front, so that nothing that a file or its name holds can pass for
// another record.
package record

import (
	"bytes"
	"fmt"
	"strconv"
)

// Say is the sh function that prints one record: say NAME DATA. Under LC_ALL=C
// ${#2} counts bytes. NAME is a constant of the script.
const Say = `say() { printf '%s %s:%s\n' "$1" "${#2}" "$2"; }
`

// Show is the sh function that prints a text file: show FILE. It is for what an answer
// hangs on: no tool of the host that is broken can say less, or something else.
const Show = `show() {
  while IFS= read -r line || [ -n "$line" ]; do printf '%s\n' "$line"; done <"$1"
}
`

// Record is one record of a probe's answer.
type Record struct {
	Name string
	Data string
}

// Parse reads all records of an answer. Anything but a whole row of records is an
// error: the answer cannot be believed.
func Parse(body []byte) ([]Record, error) {
	var all []Record
	for rest := body; len(rest) > 0; {
		r, after, err := next(rest)
		if err != nil {
			return nil, fmt.Errorf("record %d: %w", len(all)+1, err)
		}
		all, rest = append(all, r), after
	}
	return all, nil
}

func next(b []byte) (Record, []byte, error) {
	head, rest, ok := bytes.Cut(b, []byte(":"))
	name, size, spaced := bytes.Cut(head, []byte(" "))
	if !ok || !spaced {
		return Record{}, nil, fmt.Errorf("not a record: %.40q", b)
	}
	n, err := strconv.Atoi(string(size))
	if err != nil || n < 0 || n >= len(rest) || rest[n] != '\n' {
		return Record{}, nil, fmt.Errorf("wrong length in %.40q", head)
	}
	return Record{Name: string(name), Data: string(rest[:n])}, rest[n+1:], nil
}
