package hostfile

import (
	"strings"
	"time"

	"github.com/pdprov/pdprov/stages/stage"
)

// Type is what lies at a path. The zero value means that it is unknown.
type Type string

// Types. Gone is a path that certainly does not exist; Blocked one that cannot
// exist because a part of it is not a directory.
const (
	Gone      Type = "gone"
	Blocked   Type = "blocked"
	File      Type = "file"
	Directory Type = "directory"
	Symlink   Type = "symlink"
	Fifo      Type = "fifo"
	Socket    Type = "socket"
	Device    Type = "device"
)

// Seen is what a host showed of one path.
type Seen struct {
	Path         string
	Type         Type   // "" when it could not be looked at
	Reason       string // why not, or why a digest is missing
	Size         int64
	Mode         string // four octal digits
	UID, GID     string
	Owner, Group string
	Modified     time.Time // of a symlink: its own
	Changed      time.Time // the last change of mode, owner or content
	Sum          string    // sha256 in hex of a regular file, "" when unknown
	Body         []byte    // content, where it was fetched
	HasBody      bool
}

// There says whether anything lies at the path.
func (s Seen) There() bool { return s.Type != "" && s.Type != Gone && s.Type != Blocked }

// Read picks the part of an answer that a probe of Look or Stat asked for. An
// answer that cannot be believed gives a Seen without a Type.
func Read(p stage.Probe, f stage.Facts) Seen {
	arg := p.Args[0]
	_, path, _ := strings.Cut(arg, ":")
	a := f.Get(p.ID)
	if a.Outcome != stage.Answered {
		return Seen{Path: path, Reason: a.Unknown(p.ID).Reason}
	}
	seen, err := pick(a.Body, arg)
	if err != nil {
		return Seen{Path: path, Reason: "the answer makes no sense: " + err.Error()}
	}
	seen.Path = path
	return seen
}
