package view_test

import (
	"bytes"
	"testing"

	"github.com/pdprov/pdprov/cmd/view"
	"github.com/pdprov/pdprov/hcl/model"
	"github.com/pdprov/pdprov/internal/golden"
)

func TestGraph(t *testing.T) {
	d := &model.Deployment{Stages: []model.Stage{
		{Addr: "package.base", Hosts: []string{"h1", "h2"}},
		{Addr: `file.each["a.b \"c\""]`, Hosts: []string{"h1"}, DependsOn: []string{"package.base"}},
		{Addr: "module.x.file.a", Hosts: []string{"h1"}, Refs: []string{"package.base"}},
		{Addr: "module.x.module.y.file.a", Hosts: []string{"h1"}, Refs: []string{"module.x.file.a"}, DependsOn: []string{"module.x.file.a"}},
	}}
	var b bytes.Buffer
	if err := view.Graph(&b, d); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/graph.dot", b.Bytes())
}
