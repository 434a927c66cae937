package plan

import (
	"github.com/pdprov/pdprov/engine/manifest"
	"github.com/pdprov/pdprov/stages/stage"
)

// Seen is what one look at a host brought.
type Seen struct {
	State   HostState
	Error   string // why State is not HostOK
	Facts   stage.Facts
	Records map[string]manifest.Record // by address
	// Forgetful says that not every record could be read: nothing is certainly new.
	Forgetful bool
	Running   []Running
	Holder    string
	// Warnings say what of the host as a whole could not be read.
	Warnings []string
}

// Options narrow a plan down.
type Options struct {
	Hosts   []string // names; empty means all
	Targets []string // addresses of stages, of a whole for_each, of modules; their dependencies come along; empty means all
	Ignore  []string `json:",omitempty"` // surface paths of any stage that are not compared
}

// record is what the host remembers of a stage, nil for nothing.
func (b *builder) record(addr string) *manifest.Record {
	if r, ok := b.seen.Records[addr]; ok {
		return &r
	}
	return nil
}
