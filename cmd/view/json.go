package view

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/hashicorp/hcl/v2"

	"github.com/pdprov/pdprov/engine/plan"
	"github.com/pdprov/pdprov/stages/stage"
)

// Document is what plan, audit and validate print with --json: the plan where there is
// one, and the diagnostics of the plan files. Without a plan its fields are left out.
type Document struct {
	FormatVersion int `json:"format_version"`
	*plan.Plan
	Diagnostics []Diagnostic `json:"diagnostics,omitempty"`
}

// Diagnostic is something wrong with the plan files, with its place.
type Diagnostic struct {
	Severity string `json:"severity"` // error or warning
	Summary  string `json:"summary"`
	Detail   string `json:"detail,omitempty"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
}

// PlanDocument is a plan for programs; what is installed is left to audit.
func PlanDocument(p *plan.Plan, diags hcl.Diagnostics) Document {
	return document(p, diags, func(plan.Entry) stage.Surface { return nil })
}

// AuditDocument is a plan for programs with the installed state of every stage.
func AuditDocument(p *plan.Plan, diags hcl.Diagnostics) Document {
	return document(p, diags, func(e plan.Entry) stage.Surface {
		surface := maps.Clone(e.Installed)
		for path := range surface {
			surface[path] = installedValue(e, path)
		}
		return surface
	})
}

func document(p *plan.Plan, diags hcl.Diagnostics, installed func(plan.Entry) stage.Surface) Document {
	d := Document{FormatVersion: plan.FormatVersion, Diagnostics: diagnostics(diags)}
	if p == nil {
		return d
	}
	shown := *p
	shown.Entries = make([]plan.Entry, len(p.Entries))
	for i, e := range p.Entries {
		e.Installed = installed(e)
		shown.Entries[i] = e
	}
	d.Plan = &shown
	return d
}

func diagnostics(diags hcl.Diagnostics) []Diagnostic {
	var list []Diagnostic
	for _, d := range diags {
		item := Diagnostic{Severity: "error", Summary: d.Summary, Detail: d.Detail}
		if d.Severity == hcl.DiagWarning {
			item.Severity = "warning"
		}
		if d.Subject != nil {
			item.File, item.Line, item.Column = d.Subject.Filename, d.Subject.Start.Line, d.Subject.Start.Column
		}
		list = append(list, item)
	}
	return list
}

// JSON prints one value, indented, as a program and a person can read it.
func JSON(w io.Writer, v any) error { return encode(w, v, "  ") }

// encode prints one value as JSON. What a terminal would obey, or would not show, is
// escaped; encoding/json leaves most of that as it is.
func encode(w io.Writer, v any, indent string) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", indent)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(w, visible(b.String()))
	return err
}

// visible escapes what cannot be printed in JSON text, where it stands in strings only.
func visible(text string) string {
	if printable(strings.ReplaceAll(text, "\n", "")) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\n' || unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
		}
	}
	return b.String()
}
