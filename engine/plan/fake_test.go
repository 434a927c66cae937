package plan_test

import (
	"strings"

	"github.com/pdprov/pdprov/engine/plan"
	"github.com/pdprov/pdprov/hcl/model"
	"github.com/pdprov/pdprov/stages/stage"
)

// note is a kind for tests: it wants the text of "text" at path:NAME, and restarts
// what "impact" says. Its single probe answers with the text that is there.
type note struct{}

func (note) Name() string                            { return "note" }
func (note) Summary() string                         { return "for tests" }
func (note) Schema() []stage.Attr                    { return nil }
func (note) Validate(stage.Instance) []stage.Finding { return nil }

func (note) Probes(in stage.Instance) []stage.Probe {
	return []stage.Probe{{ID: "note " + in.Addr, Reads: []stage.Resource{
		stage.Resource("path:" + in.Config.Text("path")),
	}}}
}

func (note) Want(in stage.Instance, f stage.Facts) (stage.Surface, []stage.Finding) {
	if in.Config.Bool("wrong") {
		return stage.Surface{}, []stage.Finding{{Path: "text", Summary: "Wrong", Detail: "It cannot work."}}
	}
	v := stage.Is(in.Config.Text("text"))
	switch {
	case in.Config.Secret["text"]:
		v = stage.IsSecret(in.Config.Text("text"))
	case in.Config.Text("after") != "":
		v = stage.Value{State: stage.Deferred, Reason: in.Config.Text("after")}
	}
	return stage.Surface{"text": v}, nil
}

func (note) Have(in stage.Instance, f stage.Facts) stage.Surface {
	a := f.Get("note " + in.Addr)
	switch a.Outcome {
	case stage.Answered:
		v := stage.Is(string(a.Body))
		v.By = in.Config.Text("by")
		return stage.Surface{"text": v, "extra": stage.Is("x")}
	case stage.Absent:
		return stage.Surface{"text": stage.Nothing()}
	default:
		return stage.Surface{"text": a.Unknown("note " + in.Addr)}
	}
}

func (note) Work(in stage.Instance, f stage.Facts, changes []stage.Change) (stage.Work, []stage.Finding) {
	w := stage.Work{
		Steps:  []stage.Step{{Title: "write"}},
		Writes: []stage.Resource{stage.Resource("path:" + in.Config.Text("path"))},
	}
	if in.Config.Bool("restart") {
		w.Impact, w.ImpactOn = stage.Restart, in.Addr
	}
	if in.Config.Bool("reboot") {
		w.Impact = stage.Reboot
	}
	return w, nil
}

var kinds = stage.Kinds{note{}}

// st makes a stage from "key=value" words; refs=a,b and hosts=h1,h2 are special.
func st(name string, words ...string) model.Stage {
	s := model.Stage{
		Addr: "note." + name, Kind: "note", Hosts: []string{"h1"},
		Config: stage.Config{Values: map[string]any{"path": "/" + name, "text": "want"}, Secret: map[string]bool{}},
	}
	for _, w := range words {
		k, v, _ := strings.Cut(w, "=")
		switch k {
		case "refs":
			s.Refs = strings.Split(v, ",")
		case "hosts":
			s.Hosts = strings.Split(v, ",")
		case "ignore":
			s.Ignore = strings.Split(v, ",")
		case "secret":
			s.Config.Secret["text"] = true
		case "restart", "reboot", "wrong":
			s.Config.Values[k] = true
		default:
			s.Config.Values[k] = v
		}
	}
	return s
}

func deployment(stages ...model.Stage) *model.Deployment {
	d := &model.Deployment{Hosts: []model.Host{{Name: "h1"}, {Name: "h2"}}, Stages: stages}
	return d
}

// seen makes the answers of one host: name=text, name! failed, name? hung, name- absent.
func seen(words ...string) plan.Seen {
	facts := stage.Facts{}
	for _, w := range words {
		switch name := w[:len(w)-1]; w[len(w)-1] {
		case '!':
			facts["note note."+name] = stage.Answer{Outcome: stage.Failed, Detail: "exit 1"}
		case '?':
			facts["note note."+name] = stage.Answer{Outcome: stage.Hung, Detail: "no answer within 10 s"}
		case '-':
			facts["note note."+name] = stage.Answer{Outcome: stage.Absent}
		default:
			name, text, _ := strings.Cut(w, "=")
			facts["note note."+name] = stage.Answer{Outcome: stage.Answered, Body: []byte(text)}
		}
	}
	return plan.Seen{State: plan.HostOK, Facts: facts}
}
