package eval

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

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
	values, more := s.hostValues(b)
	if diags = append(diags, more...); diags.HasErrors() {
		return cty.DynamicVal, diags
	}
	h := model.Host{Name: b.Labels[0], Address: b.Labels[0], Range: b.DefRange()}
	into := map[string]any{
		"address": &h.Address, "user": &h.User, "port": &h.Port, "identity_file": &h.Identity,
		"sudo": &h.Sudo, "labels": &h.Labels, "environment": &h.Environment,
	}
	for _, attr := range config.Attributes(b.Body) {
		v, ok := values[attr.Name]
		if !ok {
			continue
		}
		if err := gocty.FromCtyValue(v, into[attr.Name]); err != nil {
			diags = append(diags, problem(attr.Expr.Range(), "Invalid value", portRange)) // nothing else can be out of range
			continue
		}
		if wrong := checkHost(attr.Name, h); wrong != "" {
			diags = append(diags, problem(attr.Expr.Range(), "Invalid value", wrong))
		}
	}
	s.e.d.Hosts = append(s.e.d.Hosts, h)
	return hostValue(h), diags
}

// hostValues evaluates the attributes that a host block sets.
func (s *scope) hostValues(b config.Block) (map[string]cty.Value, hcl.Diagnostics) {
	values := map[string]cty.Value{}
	var diags hcl.Diagnostics
	for _, attr := range config.Attributes(b.Body) {
		want, ok := hostTypes[attr.Name]
		if !ok {
			continue
		}
		v, more := s.plain(attr.Expr, b.Dir, want, attr.Name)
		diags = append(diags, more...)
		if more.HasErrors() || v.IsNull() || !v.IsWhollyKnown() {
			continue
		}
		if w := unusable(v); w.text != "" {
			diags = append(diags, problem(attr.Expr.Range(), "Invalid value", fmt.Sprintf("%s: %s", attr.Name+w.at, w.text)))
			continue
		}
		values[attr.Name] = v
	}
	return values, diags
}

const portRange = "A port is a whole number from 1 to 65535."

// variableName is what a shell takes for the name of a variable.
var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// checkHost says what is wrong with an attribute of a host.
func checkHost(attr string, h model.Host) string {
	switch attr {
	case "address":
		if h.Address == "" {
			return "The address of a host cannot be empty."
		}
	case "port":
		if h.Port < 1 || h.Port > 65535 {
			return portRange
		}
	case "environment":
		for _, name := range slices.Sorted(maps.Keys(h.Environment)) {
			if !variableName.MatchString(name) {
				return fmt.Sprintf("%q cannot be the name of an environment variable: use letters, digits and _, and do not begin with a digit.", name)
			}
		}
	}
	return ""
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
		return cty.DynamicVal, append(diags, problem(expr.Range(), "Invalid value", fmt.Sprintf("%s: %s.", name, reason(err))))
	}
	return converted, diags
}
