package eval

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"

	"github.com/pdprov/pdprov/stages/stage"
)

// claim is what a stage wants of something that it decides about.
type claim struct{ addr, want string }

// claims finds stages of one host that decide otherwise about the same thing: each
// apply would undo the other's work. What is so on several hosts is said once.
func (e *evaluation) claims() (diags hcl.Diagnostics) {
	said := map[string]bool{}
	for i := range e.d.Hosts {
		h := &e.d.Hosts[i]
		taken := map[stage.Resource]claim{}
		for j := range e.d.Stages {
			st := &e.d.Stages[j]
			k, _ := e.o.Kinds.Lookup(st.Kind)
			claimer, ok := k.(stage.Claimer)
			if !ok || !slices.Contains(st.Hosts, h.Name) {
				continue
			}
			wants := claimer.Claims(e.d.Instance(st, h, nil))
			for _, thing := range slices.Sorted(maps.Keys(wants)) {
				other, claimed := taken[thing]
				key := other.addr + " " + st.Addr
				switch {
				case !claimed:
					taken[thing] = claim{st.Addr, wants[thing]}
				case stage.Clash(other.want, wants[thing]) && !said[key]:
					said[key] = true
					diags = append(diags, problem(st.Range, "Two stages decide about the same thing", fmt.Sprintf(
						"%s and %s both decide about %s on host %s, so each apply would undo what the other wants. Leave it to one of them, or give them different hosts.",
						other.addr, st.Addr, thing, h.Name)))
				}
			}
		}
	}
	return diags
}

// homeless finds stages that would run nowhere because the plan has no host at all.
func (e *evaluation) homeless() hcl.Diagnostics {
	if len(e.d.Hosts) > 0 || len(e.d.Stages) == 0 {
		return nil
	}
	return hcl.Diagnostics{problem(e.d.Stages[0].Range, "No host", `The plan has stages and no host to run them on. Add one: host "NAME" { address = "..." }.`)}
}
