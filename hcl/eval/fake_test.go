package eval_test

import (
	"strings"

	"github.com/pdprov/pdprov/stages/stage"
)

// fake is a kind with a schema and nothing behind it. Work is of the engine, so its
// other methods are never called here.
type fake struct {
	stage.Kind
	name   string
	schema []stage.Attr
}

func (f fake) Name() string         { return f.name }
func (f fake) Schema() []stage.Attr { return f.schema }

// Validate refuses words that begin with "bad", and prints what it refuses.
func (f fake) Validate(in stage.Instance) (found []stage.Finding) {
	for i, word := range in.Config.List("words") {
		if strings.HasPrefix(word, "bad") {
			found = append(found, stage.Finding{Path: "words[" + string(rune('0'+i)) + "]", Summary: "Bad word", Detail: "The word " + word + " is bad."})
		}
	}
	if content := in.Config.Text("content"); strings.HasPrefix(content, "BAD") {
		found = append(found, stage.Finding{Path: "content", Summary: "Bad content", Detail: "The content " + content + " is bad."})
	}
	if in.Config.Text("mode") == "0777" {
		found = append(found, stage.Finding{Severity: stage.Warning, Path: "mode", Summary: "Open to all", Detail: "Everybody can write."})
	}
	return found
}

func fakeKinds() stage.Kinds {
	return stage.Kinds{
		fake{name: "file", schema: []stage.Attr{
			{Name: "path", Required: true, Doc: "Absolute path."},
			{Name: "content", Secrets: true},
			{Name: "source", Type: stage.LocalFile, Secrets: true},
			{Name: "mode", Default: "0644"},
			{Name: "ensure", Default: "present", OneOf: []string{"present", "absent"}},
		}},
		fake{name: "unit", schema: []stage.Attr{
			{Name: "name", Required: true, Doc: "Name with its suffix."},
			{Name: "running", Type: stage.Bool, Default: true},
			{Name: "after", Type: stage.Ref},
			{Name: "restart_on", Type: stage.RefList, Kinds: []string{"file"}},
		}},
		fake{name: "venv", schema: []stage.Attr{
			{Name: "path", Default: "/opt/venv"},
			{Name: "keep", Type: stage.Number, Default: float64(2)},
			{Name: "words", Type: stage.StringList, Default: []string{"one"}},
			{Name: "env", Type: stage.StringMap, Default: map[string]string{"A": "b"}, Secrets: true},
			{Name: "unit", Type: stage.Ref, Kinds: []string{"unit", "file"}},
			{Name: "base", Type: stage.Ref, Kinds: []string{"venv"}, OrPath: true},
		}},
	}
}
