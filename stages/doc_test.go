package stages_test

import (
	"bytes"
	"fmt"
	"sort"
	"strings"
	"testing"

	"github.com/pdprov/pdprov/internal/golden"
	"github.com/pdprov/pdprov/stages"
	"github.com/pdprov/pdprov/stages/stage"
)

// TestReference keeps docs/stages.md true to the kinds: make golden writes it.
func TestReference(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("# Stages: every attribute\n\nMade from the kinds by `make golden`.\n\n" +
		"Every stage also takes `hosts` (list of hosts; default: all), `depends_on` (list of stages and modules), `for_each` (map or set of strings) and `ignore` (list of surface paths that are not compared; `\"dist.*\"` is all below).\n")
	for _, k := range stages.All() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| attribute | type | default | |\n|---|---|---|---|\n", k.Name(), k.Summary())
		for _, a := range k.Schema() {
			if a.Doc == "" {
				t.Errorf("%s.%s has no documentation", k.Name(), a.Name)
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", a.Name, typeName(a), standard(a), strings.ReplaceAll(a.Doc, "|", "\\|"))
		}
	}
	golden.Check(t, "../docs/stages.md", b.Bytes())
}

func typeName(a stage.Attr) string {
	names := map[stage.Type]string{
		stage.String: "text", stage.Bool: "true or false", stage.Number: "number", stage.StringList: "list of texts",
		stage.StringMap: "map of texts", stage.Ref: "a stage", stage.RefList: "list of stages", stage.LocalFile: "path of a file on this machine",
	}
	name := names[a.Type]
	if a.OrPath {
		name += " or a path"
	}
	if len(a.OneOf) > 0 {
		name = "`" + strings.Join(a.OneOf, "`, `") + "`"
	}
	return name
}

func standard(a stage.Attr) string {
	switch d := a.Default.(type) {
	case nil:
		if a.Required {
			return "required"
		}
		return ""
	case map[string]string:
		keys := make([]string, 0, len(d))
		for k := range d {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		return fmt.Sprintf("`%v`", keys)
	default:
		return fmt.Sprintf("`%v`", d)
	}
}
