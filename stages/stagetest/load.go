package stagetest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/pdprov/pdprov/hcl/model"
	"github.com/pdprov/pdprov/stages/stage"
)

// load reads the folder's plan file. INTERIM: a bare reader until hcl/eval is there.
func load(t *testing.T, dir string, kinds stage.Kinds) (*model.Deployment, hcl.Diagnostics) {
	t.Helper()
	f, diags := hclparse.NewParser().ParseHCLFile(filepath.Join(dir, "plan.hcl"))
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	d := &model.Deployment{}
	for _, b := range f.Body.(*hclsyntax.Body).Blocks {
		if b.Type == "host" {
			d.Hosts = append(d.Hosts, model.Host{Name: b.Labels[0], Address: "local"})
		}
	}
	for _, b := range f.Body.(*hclsyntax.Body).Blocks {
		if b.Type != "stage" {
			continue
		}
		s := model.Stage{
			Addr: b.Labels[0] + "." + b.Labels[1], Kind: b.Labels[0], Range: b.DefRange(),
			Config: stage.Config{Values: map[string]any{}, Secret: map[string]bool{}}, Ranges: map[string]hcl.Range{},
		}
		for _, h := range d.Hosts {
			s.Hosts = append(s.Hosts, h.Name)
		}
		k, ok := kinds.Lookup(s.Kind)
		if !ok {
			t.Fatalf("kind %s", s.Kind)
		}
		known := map[string]bool{}
		for _, a := range k.Schema() {
			known[a.Name] = true
			if attr, ok := b.Body.Attributes[a.Name]; ok {
				s.Ranges[a.Name] = attr.Expr.Range()
				s.Config.Values[a.Name] = value(t, a, attr.Expr, &s)
			} else if a.Default != nil {
				s.Config.Values[a.Name] = a.Default
			} else if a.Required {
				t.Fatalf("%s: %s missing", s.Addr, a.Name)
			}
		}
		for name, attr := range b.Body.Attributes {
			switch {
			case name == "depends_on":
				s.DependsOn = refs(attr.Expr)
			case !known[name]:
				t.Fatalf("%s: unknown attribute %s", s.Addr, name)
			}
		}
		d.Stages = append(d.Stages, s)
		for _, fd := range k.Validate(stage.Instance{Addr: s.Addr, Config: s.Config}) {
			diags = append(diags, s.Diagnostic(fd))
		}
	}
	return d, diags
}

func refs(e hclsyntax.Expression) (out []string) {
	for _, v := range e.Variables() {
		out = append(out, v[1].(hcl.TraverseAttr).Name+"."+v[2].(hcl.TraverseAttr).Name)
	}
	return out
}

func value(t *testing.T, a stage.Attr, e hclsyntax.Expression, s *model.Stage) any {
	if a.Type == stage.Ref || a.Type == stage.RefList {
		r := refs(e)
		s.Refs = append(s.Refs, r...)
		if a.Type == stage.Ref {
			return r[0]
		}
		return r
	}
	v, diags := e.Value(nil)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	switch a.Type {
	case stage.Bool:
		return v.True()
	case stage.Number:
		n, _ := v.AsBigFloat().Float64()
		return n
	case stage.StringList:
		out := []string{}
		for _, x := range v.AsValueSlice() {
			out = append(out, x.AsString())
		}
		return out
	case stage.StringMap:
		out := map[string]string{}
		if v.LengthInt() > 0 {
			for k, x := range v.AsValueMap() {
				out[k] = text(x)
			}
		}
		return out
	case stage.LocalFile:
		data, err := os.ReadFile(filepath.Join(filepath.Dir(e.Range().Filename), v.AsString()))
		if err != nil {
			t.Fatal(err)
		}
		return stage.LocalData{Path: v.AsString(), Data: data}
	}
	return text(v)
}

func text(v cty.Value) string {
	if v.Type() == cty.Number {
		return v.AsBigFloat().Text('f', -1)
	}
	return v.AsString()
}
