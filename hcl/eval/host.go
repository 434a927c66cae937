package eval

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/gocty"

	"github.com/pdprov/pdprov/hcl/config"
	"github.com/pdprov/pdprov/hcl/model"
)

var hostTypes = map[string]cty.Type{
	"address": cty.String, "user": cty.String, "port": cty.Number, "identity_file": cty.String,
	"sudo": cty.Bool, "labels": cty.Map(cty.String), "environment": cty.Map(cty.String),
}

// host evaluates a host block, adds the host, and gives what expressions see of it.
func (s *scope) host(b config.Block) (cty.Value, hcl.Diagnostics) {
	diags := only(b, "address", "user", "port", "identity_file", "sudo", "labels", "environment")
	if s.prefix != "" {
		return cty.DynamicVal, append(diags, problem(b.DefRange(), "Host inside of a module", "Hosts are declared in the plan; a module gets them with hosts = [...] in its block, or as a variable."))
	}
	values := map[string]cty.Value{}
	for _, attr := range config.Attributes(b.Body) {
		want, ok := hostTypes[attr.Name]
		if !ok {
			continue
		}
		v, more := s.plain(attr.Expr, b.Dir, want, attr.Name)
		diags = append(diags, more...)
		if !more.HasErrors() && !v.IsNull() && v.IsWhollyKnown() {
			values[attr.Name] = v
		}
	}
	if diags.HasErrors() {
		return cty.DynamicVal, diags
	}
	h := model.Host{Name: b.Labels[0], Address: b.Labels[0], Range: b.DefRange()}
	for name, into := range map[string]any{
		"address": &h.Address, "user": &h.User, "port": &h.Port, "identity_file": &h.Identity,
		"sudo": &h.Sudo, "labels": &h.Labels, "environment": &h.Environment,
	} {
		if v, ok := values[name]; ok {
			if err := gocty.FromCtyValue(v, into); err != nil {
				diags = append(diags, problem(b.Body.Attributes[name].Expr.Range(), "Invalid value", fmt.Sprintf("%s: %s.", name, err)))
			}
		}
	}
	if h.Address == "" {
		diags = append(diags, problem(b.Body.Attributes["address"].Expr.Range(), "Invalid value", "The address of a host cannot be empty."))
	}
	if h.Port < 0 || h.Port > 65535 {
		diags = append(diags, problem(b.Body.Attributes["port"].Expr.Range(), "Invalid value", "A port is a number from 1 to 65535."))
	}
	s.e.d.Hosts = append(s.e.d.Hosts, h)
	return hostValue(h), diags
}

func hostValue(h model.Host) cty.Value {
	labels := cty.MapValEmpty(cty.String)
	if len(h.Labels) > 0 {
		m := map[string]cty.Value{}
		for k, v := range h.Labels {
			m[k] = cty.StringVal(v)
		}
		labels = cty.MapVal(m)
	}
	return cty.ObjectVal(map[string]cty.Value{
		"name": cty.StringVal(h.Name), "address": cty.StringVal(h.Address), "user": cty.StringVal(h.User),
		"port": cty.NumberIntVal(int64(h.Port)), "labels": labels,
	})
}

// plain evaluates an expression whose value is shown and kept, so it may not be sensitive.
func (s *scope) plain(expr hclExpression, dir string, want cty.Type, name string) (cty.Value, hcl.Diagnostics) {
	v, diags := s.value(expr, dir, nil)
	if diags.HasErrors() {
		return cty.DynamicVal, diags
	}
	v, _, secret := unmark(v)
	if secret {
		return cty.DynamicVal, append(diags, problem(expr.Range(), "Sensitive value", fmt.Sprintf("%s is shown and kept, so it cannot come from a sensitive variable.", name)))
	}
	converted, err := convert.Convert(v, want)
	if err != nil {
		return cty.DynamicVal, append(diags, problem(expr.Range(), "Invalid value", fmt.Sprintf("%s: %s.", name, err)))
	}
	return converted, diags
}
