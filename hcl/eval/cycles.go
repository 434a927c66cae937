package eval

import (
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/pdprov/pdprov/hcl/model"
)

// cycles finds stages that depend on each other, whichever way they say so.
func cycles(d *model.Deployment) hcl.Diagnostics {
	state := map[string]int{} // 1 on the path, 2 done
	var path []string
	var found hcl.Diagnostics
	var visit func(addr string)
	visit = func(addr string) {
		st, ok := d.Stage(addr)
		if !ok || state[addr] == 2 || len(found) > 0 {
			return
		}
		path = append(path, addr)
		if state[addr] == 1 {
			i := 0
			for path[i] != addr {
				i++
			}
			found = append(found, problem(st.Range, "Cycle", "These stages wait for each other, so none can come first: "+strings.Join(path[i:], " -> ")+"."))
			return
		}
		state[addr] = 1
		for _, dep := range append(append([]string(nil), st.Refs...), st.DependsOn...) {
			visit(dep)
		}
		state[addr] = 2
		path = path[:len(path)-1]
	}
	for i := range d.Stages {
		visit(d.Stages[i].Addr)
	}
	return found
}
