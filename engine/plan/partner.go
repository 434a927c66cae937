package plan

import (
	"fmt"
	"strings"

	"github.com/pdprov/pdprov/stages/stage"
)

// partner finds the host that works beside an entry.
func (b *builder) partner(e *Entry) []stage.Finding {
	p := e.Work.Partner
	if p == nil {
		return nil
	}
	st, ok := b.d.Stage(p.Stage)
	switch {
	case !ok || len(st.Hosts) != 1:
		where := "none"
		if ok {
			where = strings.Join(st.Hosts, ", ")
		}
		return []stage.Finding{{Summary: "The other stage is not on one host", Detail: fmt.Sprintf("%s works with this stage, and it has to be on exactly one host; it is on %s. Set hosts there.", p.Stage, where)}}
	case st.Hosts[0] == e.Host:
		return []stage.Finding{{Summary: "The other stage is on the same host", Detail: fmt.Sprintf("%s works with this stage from another host, and it is on %s as well. Set hosts of both.", p.Stage, e.Host)}}
	}
	e.Partner = st.Hosts[0]
	return nil
}
