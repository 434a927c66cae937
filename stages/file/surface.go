package file

import (
	"strings"

	"github.com/pdprov/pdprov/internal/hostfile"
	"github.com/pdprov/pdprov/stages/stage"
)

// Want is what the block says.
func (Kind) Want(in stage.Instance, _ stage.Facts) (stage.Surface, []stage.Finding) {
	w := read(in.Config)
	if w.ensure == absent {
		return stage.Surface{"type": stage.Nothing()}, nil
	}
	s := stage.Surface{"mode": stage.Is(w.mode), "owner": stage.Is(w.owner), "group": stage.Is(w.group)}
	if w.ensure == directory {
		s["type"] = stage.Is(string(hostfile.Directory))
		return s, nil
	}
	s["type"] = stage.Is(string(hostfile.File))
	s["content"] = hostfile.Content(w.data, w.secret)
	return s, nil
}

// Have is what lies at the path.
func (Kind) Have(in stage.Instance, f stage.Facts) stage.Surface {
	w := read(in.Config)
	p := probe(w)
	seen := hostfile.Read(p, f)
	switch {
	case seen.Type == "", seen.Type == hostfile.Blocked && w.ensure != absent:
		return all(stage.Value{State: stage.Unknown, Reason: seen.Reason, Probe: p.ID})
	case !seen.There():
		return all(stage.Nothing())
	}
	changed := hostfile.By("changed", seen.Changed, seen)
	s := stage.Surface{
		"type":  {State: stage.Present, Text: string(seen.Type), By: changed},
		"mode":  {State: stage.Present, Text: seen.Mode, By: changed},
		"owner": {State: stage.Present, Text: named(w.owner, seen.Owner, seen.UID), By: changed},
		"group": {State: stage.Present, Text: named(w.group, seen.Group, seen.GID), By: changed},
	}
	if w.ensure != directory {
		s["content"] = content(w, seen, p.ID)
	}
	return s
}

func all(v stage.Value) stage.Surface {
	return stage.Surface{"type": v, "content": v, "mode": v, "owner": v, "group": v}
}

// named is a user or group in the form that the block uses: the number where it
// says a number, or where the host knows no name for it.
func named(wanted, name, number string) string {
	if digits(wanted) || name == "UNKNOWN" {
		return number
	}
	return name
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// content has the form that the wish has, text or digest, so that both can be compared.
func content(w wish, seen hostfile.Seen, probe string) stage.Value {
	if seen.Type != hostfile.File {
		return stage.Nothing()
	}
	if w.ensure == absent {
		return seen.Content(nil, w.secret, probe)
	}
	return seen.Content(w.data, w.secret, probe)
}
