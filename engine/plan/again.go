package plan

import (
	"github.com/hashicorp/hcl/v2"

	"github.com/pdprov/pdprov/hcl/model"
	"github.com/pdprov/pdprov/stages/stage"
)

// Again makes the entry of one stage anew from a fresh look, with everything that
// it depends on done.
func Again(d *model.Deployment, kinds stage.Kinds, st *model.Stage, h *model.Host, seen Seen) (Entry, hcl.Diagnostics) {
	b := builder{d: d, kinds: kinds, host: h, seen: seen, entries: map[string]*Entry{}}
	diags := b.add(st)
	return *b.entries[st.Addr], diags
}

// Exceeds says whether an entry would hit harder than another one that was shown. What
// was not there when the plan was made has no users yet, so nothing about it can; but a
// reboot hits all that is there.
func (e Entry) Exceeds(shown Entry) bool {
	excused := shown.Action == Create && e.Work.Impact < stage.Reboot
	return !excused && e.Work.Impact > shown.Work.Impact
}
