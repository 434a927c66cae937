// Package unit reads and writes systemd's unit files as data, and reads what systemctl
// says of units. It has no effects.
package unit

import "strings"

// File is a unit file. Sections and entries stand in the order of the text.
type File struct{ Sections []Section }

// Section is one [Name] with what follows it; a file may hold several of one name.
type Section struct {
	Name    string
	Line    int
	Entries []Entry
}

// Entry is one Key=Value, its continued lines joined as systemd joins them.
type Entry struct {
	Key, Value string
	Line       int
}

// Problem is something in a file that systemd refuses, ignores, or hardly can mean.
type Problem struct {
	Line int // counted from 1; 0 is the file as a whole
	Text string
	// Refused says that systemd does not load the unit; else it ignores the place.
	Refused bool
}

// Has says whether a file holds a section.
func (f File) Has(section string) bool {
	for _, s := range f.Sections {
		if s.Name == section {
			return true
		}
	}
	return false
}

// Get is the last value of a key, which is the one that holds where a key takes one;
// "" when there is none.
func (f File) Get(section, key string) string {
	value := ""
	f.each(section, func(e Entry) {
		if e.Key == key {
			value = e.Value
		}
	})
	return value
}

// All lists the values of a key that takes a list. An empty assignment empties it.
func (f File) All(section, key string) []string {
	var values []string
	f.each(section, func(e Entry) {
		switch {
		case e.Key == key && e.Value == "":
			values = nil
		case e.Key == key:
			values = append(values, e.Value)
		}
	})
	return values
}

func (f File) each(section string, do func(Entry)) {
	for _, s := range f.Sections {
		if s.Name != section {
			continue
		}
		for _, e := range s.Entries {
			do(e)
		}
	}
}

// Bool reads a value as systemd reads a boolean; everything else is false.
func Bool(value string) bool {
	switch strings.ToLower(value) {
	case "1", "yes", "y", "true", "t", "on":
		return true
	}
	return false
}

// Render writes a file: the same File always gives the same text, and Parse reads it
// back. A line break within a value, which no unit file can say, becomes a space.
func Render(f File) string {
	var b strings.Builder
	for i, s := range f.Sections {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("[" + oneLine(s.Name) + "]\n")
		for _, e := range s.Entries {
			b.WriteString(oneLine(e.Key) + "=" + closed(oneLine(e.Value)) + "\n")
		}
	}
	return b.String()
}

var lineBreaks = strings.NewReplacer("\n", " ", "\r", " ", "\x00", " ")

func oneLine(s string) string { return lineBreaks.Replace(s) }

// closed keeps a backslash at the end of a value from taking the next line in.
func closed(value string) string {
	if continues(value) {
		return value + " "
	}
	return value
}
