package hostfile

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/pdprov/pdprov/internal/record"
)

// absent reads one of stat's errors; only the one word of the C locale that means
// "not there" counts as that.
func (t table) absent(i int) Seen {
	if i >= len(t.errors) {
		return Seen{}
	}
	line := t.errors[i]
	switch {
	case !strings.HasPrefix(line, "stat: "):
		return Seen{Reason: line}
	case strings.HasSuffix(line, ": No such file or directory"):
		return Seen{Type: Gone}
	case strings.HasSuffix(line, ": Not a directory"):
		return Seen{Type: Blocked, Reason: line}
	}
	return Seen{Reason: line}
}

func (t table) present(r record.Record, i int) (Seen, error) {
	if i >= len(t.lines) {
		return Seen{}, nil
	}
	f := strings.Split(t.lines[i], ":")
	if len(f) != 9 {
		return Seen{}, fmt.Errorf("stat line %.100q", t.lines[i])
	}
	raw, err1 := strconv.ParseUint(f[0], 16, 32)
	size, err2 := strconv.ParseInt(f[1], 10, 64)
	mode, err3 := strconv.ParseUint(f[2], 8, 32)
	modified, err4 := Timestamp(f[5])
	changed, err5 := Timestamp(f[6])
	for _, err := range []error{err1, err2, err3, err4, err5} {
		if err != nil {
			return Seen{}, fmt.Errorf("stat line %.100q: %w", t.lines[i], err)
		}
	}
	s := Seen{
		Type: typeOf(raw), Size: size, Mode: fmt.Sprintf("%04o", mode),
		UID: f[3], GID: f[4], Owner: f[7], Group: f[8], Modified: modified, Changed: changed,
	}
	if (r.Name == "file") != (s.Type == File) || (r.Name == "link") != (s.Type == Symlink) {
		return Seen{}, fmt.Errorf("sh saw a %s where stat saw a %s", r.Name, s.Type)
	}
	return s, nil
}

func typeOf(raw uint64) Type {
	switch raw & 0o170000 {
	case 0o100000:
		return File
	case 0o040000:
		return Directory
	case 0o120000:
		return Symlink
	case 0o010000:
		return Fifo
	case 0o140000:
		return Socket
	}
	return Device
}

// Timestamp reads what stat's %.9Y prints.
func Timestamp(s string) (time.Time, error) {
	whole, frac, _ := strings.Cut(s, ".")
	sec, err := strconv.ParseInt(whole, 10, 64)
	if err != nil {
		return time.Time{}, err
	}
	nano, err := strconv.ParseInt((frac + "000000000")[:9], 10, 64)
	if err != nil {
		return time.Time{}, err
	}
	return time.Unix(sec, nano).UTC(), nil
}

// content adds digest and text; a text that does not have the digest is dropped.
func (t table) content(s *Seen, r record.Record, i int) {
	if i >= len(t.sums) {
		return
	}
	sum, err := digest(t.sums[i])
	if err != nil {
		s.Reason = err.Error()
		return
	}
	s.Sum = sum
	text, ok := t.texts[r.Data]
	body, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(text, "\n", ""))
	if ok && err == nil && len(body) <= MaxText && Digest(body) == sum {
		s.Body, s.HasBody = body, true
	}
}

// digest reads a line of sha256sum, or "EXIT TEXT" of one that was asked alone. A
// backslash in front says that the name in the line is escaped.
func digest(line string) (string, error) {
	sum := line
	if rc, rest, ok := strings.Cut(line, " "); ok && len(rc) < 4 {
		if rc != "0" {
			return "", fmt.Errorf("sha256sum failed with exit %s: %.200s", rc, rest)
		}
		sum = rest
	}
	sum, _, _ = strings.Cut(strings.TrimPrefix(sum, `\`), " ")
	if len(sum) != 64 || strings.Trim(sum, "0123456789abcdef") != "" {
		return "", fmt.Errorf("sha256sum said %.100q", line)
	}
	return sum, nil
}
