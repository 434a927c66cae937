package view_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/hcl/v2"

	"github.com/pdprov/pdprov/cmd/view"
	"github.com/pdprov/pdprov/engine/apply"
)

// schema checks with the words of JSON Schema that docs/schema uses, and refuses others.
type schema struct{ root map[string]any }

func load(t *testing.T, name string) schema {
	t.Helper()
	data, err := os.ReadFile("../../docs/schema/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var s schema
	if err := json.Unmarshal(data, &s.root); err != nil {
		t.Fatal(err)
	}
	return s
}

// check lists what is wrong with a text of JSON.
func (s schema) check(t *testing.T, text []byte) []string {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return s.at("", s.root, v)
}

func (s schema) at(where string, rule map[string]any, v any) (wrong []string) {
	bad := func(format string, args ...any) {
		wrong = append(wrong, where+": "+fmt.Sprintf(format, args...))
	}
	object, _ := v.(map[string]any)
	for word, arg := range rule {
		switch word {
		case "$schema", "$id", "$defs", "title", "description":
		case "$ref":
			def := s.root["$defs"].(map[string]any)[strings.TrimPrefix(arg.(string), "#/$defs/")]
			wrong = append(wrong, s.at(where, def.(map[string]any), v)...)
		case "type":
			if !ofType(arg, v) {
				bad("%v is no %v", v, arg)
			}
		case "const":
			if v != arg {
				bad("%v is not %v", v, arg)
			}
		case "enum":
			if !slices.Contains(arg.([]any), v) {
				bad("%v is none of %v", v, arg)
			}
		case "minimum":
			if n, ok := v.(float64); ok && n < arg.(float64) {
				bad("%v is below %v", n, arg)
			}
		case "required":
			for _, name := range arg.([]any) {
				if _, ok := object[name.(string)]; !ok {
					bad("%s is missing", name)
				}
			}
		case "dependentRequired":
			for name, needs := range arg.(map[string]any) {
				if _, ok := object[name]; ok {
					wrong = append(wrong, s.at(where, map[string]any{"required": needs}, v)...)
				}
			}
		case "items":
			for i, item := range v.([]any) {
				wrong = append(wrong, s.at(fmt.Sprintf("%s[%d]", where, i), arg.(map[string]any), item)...)
			}
		case "properties", "additionalProperties":
		default:
			bad("the schema uses %s, which this test does not know", word)
		}
	}
	properties, _ := rule["properties"].(map[string]any)
	for name, value := range object {
		if sub, ok := properties[name].(map[string]any); ok {
			wrong = append(wrong, s.at(where+"."+name, sub, value)...)
		} else if other, ok := rule["additionalProperties"].(map[string]any); ok {
			wrong = append(wrong, s.at(where+"."+name, other, value)...)
		} else if rule["additionalProperties"] == false {
			bad("%s is not in the schema", name)
		}
	}
	return wrong
}

func ofType(want, v any) bool {
	if list, ok := want.([]any); ok {
		return slices.ContainsFunc(list, func(w any) bool { return ofType(w, v) })
	}
	switch x := v.(type) {
	case nil:
		return want == "null"
	case string:
		return want == "string"
	case float64:
		return want == "integer" && x == float64(int64(x))
	case []any:
		return want == "array"
	case map[string]any:
		return want == "object"
	}
	return false
}

func TestPlanSchema(t *testing.T) {
	s := load(t, "plan.schema.json")
	rng := hcl.Range{Filename: "hosts.hcl", Start: hcl.InitialPos}
	diags := hcl.Diagnostics{
		{Severity: hcl.DiagError, Summary: "Wrong", Detail: "Why.", Subject: &rng},
		{Severity: hcl.DiagWarning, Summary: "Odd"},
	}
	for name, d := range map[string]view.Document{
		"plan":   view.PlanDocument(sample(), diags),
		"audit":  view.AuditDocument(sample(), nil),
		"calm":   view.PlanDocument(calm(), nil),
		"errors": view.PlanDocument(nil, diags),
	} {
		var b bytes.Buffer
		if err := view.JSON(&b, d); err != nil {
			t.Fatal(err)
		}
		for _, w := range s.check(t, b.Bytes()) {
			t.Errorf("%s%s", name, w)
		}
	}
}

func TestSchemaRefuses(t *testing.T) {
	s := load(t, "plan.schema.json")
	for _, text := range []string{
		`{}`, `{"format_version": 2}`, `{"format_version": 1, "hosts": []}`, `{"format_version": 1, "more": 1}`,
		`{"format_version": 1, "entries": [], "summary": {"in_sync": 0, "change": 0, "blocked": 0, "unreachable": -1}, "hosts": []}`,
		`{"format_version": 1, "entries": [], "summary": {"in_sync": 0, "change": 0, "blocked": 0, "unreachable": 0}, "hosts": [{"name": "a", "state": "gone"}]}`,
	} {
		if len(s.check(t, []byte(text))) == 0 {
			t.Errorf("accepted: %s", text)
		}
	}
}

func TestEventsSchema(t *testing.T) {
	s := load(t, "events.schema.json")
	for _, kind := range []apply.EventType{
		apply.HostConnected, apply.HostFailed, apply.LockWaiting, apply.LockTaken, apply.JobAttached, apply.StageStarted,
		apply.StageLog, apply.StageUnknown, apply.StageDone, apply.StageFailed, apply.StageSkipped,
		apply.HostRebooting, apply.HostBack, apply.LinkLost, apply.LinkBack, apply.Finished,
	} {
		var b bytes.Buffer
		e := apply.Event{Time: time.Unix(0, 0), Type: kind, Host: "h1", Stage: "file.a", Message: "m\x1b[31m", Error: "e", Offset: 7, Summary: &apply.Summary{Done: 1}}
		if err := view.Event(&b, e); err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(b.Bytes(), []byte("\n")); n != 1 {
			t.Errorf("%s: %d lines", kind, n)
		}
		for _, w := range s.check(t, b.Bytes()) {
			t.Errorf("%s%s", kind, w)
		}
	}
}
