package eval

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/pdprov/pdprov/hcl/config"
)

// hosts reads which hosts a stage runs on.
func (in *instance) hosts() {
	attr, ok := in.block.Body.Attributes["hosts"]
	if !ok {
		in.st.Hosts = in.s.standardHosts()
		return
	}
	in.ranges(attr)
	v, ok := in.eval(attr)
	if !ok {
		return
	}
	_, stages, _ := unmark(v)
	in.note(stages)
	names, diags := in.s.hostNames(v, attr.Expr.Range())
	in.diags = append(in.diags, diags...)
	in.st.Hosts = names
}

// standardHosts are the hosts of a stage that names none.
func (s *scope) standardHosts() (names []string) {
	if s.defaultHosts != nil {
		return s.defaultHosts
	}
	for _, b := range s.hosts.files.Hosts {
		names = append(names, b.Labels[0])
	}
	return names
}

// hostNames reads a list of host references; the names come in order of declaration. That
// there are none is said, and is no error.
func (s *scope) hostNames(v cty.Value, rng hcl.Range) ([]string, hcl.Diagnostics) {
	names, wrong := s.chosenHosts(v)
	switch {
	case wrong != "":
		return nil, hcl.Diagnostics{problem(rng, "Invalid hosts", wrong)}
	case len(names) == 0:
		d := problem(rng, "No host", "The list of hosts is empty, so this runs nowhere.")
		d.Severity = hcl.DiagWarning
		return names, hcl.Diagnostics{d}
	}
	return names, nil
}

// chosenHosts are never nil. wrong says what is wrong with the list.
func (s *scope) chosenHosts(v cty.Value) (names []string, wrong string) {
	const want = "hosts is a list of hosts: hosts = [host.NAME]."
	v, _, secret := unmark(v)
	if secret {
		return nil, "Something sensitive went into it, and which hosts a stage runs on is shown."
	}
	if v.IsNull() || !v.CanIterateElements() || v.Type().IsObjectType() || v.Type().IsMapType() {
		return nil, want
	}
	chosen := map[string]bool{}
	for it := v.ElementIterator(); it.Next(); {
		_, h := it.Element()
		name, ok := hostName(h)
		if !ok {
			return nil, want
		}
		if _, ok := s.hosts.nodes["host."+name]; !ok {
			return nil, fmt.Sprintf("There is no host %q.%s", name, config.Suggest(name, s.hosts.names("host.")))
		}
		chosen[name] = true
	}
	names = []string{}
	for _, b := range s.hosts.files.Hosts {
		if chosen[b.Labels[0]] {
			names = append(names, b.Labels[0])
		}
	}
	return names, ""
}

// hostName is the name in a host object.
func hostName(h cty.Value) (string, bool) {
	if h.IsNull() || !h.Type().IsObjectType() || !h.Type().HasAttribute("address") || !h.Type().HasAttribute("name") {
		return "", false
	}
	name := h.GetAttr("name")
	if name.Type() != cty.String || name.IsNull() || !name.IsKnown() {
		return "", false
	}
	return name.AsString(), true
}
