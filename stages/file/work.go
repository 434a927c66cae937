package file

import (
	"fmt"

	"github.com/pdprov/pdprov/internal/hostfile"
	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/stages/stage"
)

// Work writes the file anew where type or content differ, and only sets owner and
// mode where nothing else does.
func (Kind) Work(in stage.Instance, f stage.Facts, changes []stage.Change) (stage.Work, []stage.Finding) {
	w := read(in.Config)
	seen := hostfile.Read(probe(w), f)
	if found := refuse(w, seen); found != nil {
		return stage.Work{}, found
	}
	if seen.There() && seen.Type != w.kind() && !stage.Changed(changes, "type") {
		return stage.Work{}, []stage.Finding{{
			Path: "path", Summary: "The type is ignored and is another",
			Detail: fmt.Sprintf("%q is a %s, and the plan wants %s there with other content, mode or owner. That cannot be without replacing it: take \"type\" out of ignore, or ignore the rest as well.", w.path, seen.Type, w.noun()),
		}}
	}
	return stage.Work{
		Steps:  []stage.Step{step(w.keep(seen, changes), seen, changes)},
		Writes: []stage.Resource{stage.Resource("path:" + w.path)},
	}, nil
}

// refuse says what pdprov does not do: to remove what it did not make and cannot
// put back.
func refuse(w wish, seen hostfile.Seen) []stage.Finding {
	refused := false
	switch seen.Type {
	case hostfile.Directory:
		refused = w.ensure == present
	case hostfile.Device, hostfile.Socket, hostfile.Fifo:
		refused = true
	case hostfile.File, hostfile.Symlink:
		refused = w.ensure == directory
	}
	if !refused {
		return nil
	}
	return []stage.Finding{{
		Path:    "path",
		Summary: "Something else lies at this path",
		Detail: fmt.Sprintf("%q is a %s, and the plan wants %s there. pdprov does not remove it: "+
			"look at what it holds, then move it away or choose another path.", w.path, seen.Type, w.noun()),
	}}
}

// keep leaves owner, group and mode as they are where no change of them is asked for:
// the stage ignores them, or they are as wanted.
func (w wish) keep(seen hostfile.Seen, changes []stage.Change) wish {
	if !seen.There() || stage.Changed(changes, "type") {
		return w
	}
	if !stage.Changed(changes, "mode") {
		w.mode = seen.Mode
	}
	if !stage.Changed(changes, "owner") && named(w.owner, seen.Owner, seen.UID) != w.owner {
		w.owner = seen.UID
	}
	if !stage.Changed(changes, "group") && named(w.group, seen.Group, seen.GID) != w.group {
		w.group = seen.GID
	}
	return w
}

// kind is the type that the plan wants.
func (w wish) kind() hostfile.Type {
	return map[string]hostfile.Type{present: hostfile.File, directory: hostfile.Directory, absent: hostfile.Gone}[w.ensure]
}

func (w wish) noun() string {
	return map[string]string{present: "a file", directory: "a directory", absent: "nothing"}[w.ensure]
}

func step(w wish, seen hostfile.Seen, changes []stage.Change) stage.Step {
	switch {
	case w.ensure == absent:
		return stage.Step{Title: "remove " + title(w.path), Script: "path=" + posixsh.Quote(w.path) + "\n" + remove}
	case w.ensure == directory:
		return stage.Step{Title: "make directory " + title(w.path), Script: settings(w) + makeDirectory}
	case seen.Type == hostfile.File && !stage.Changed(changes, "type") && !stage.Changed(changes, "content"):
		return stage.Step{Title: "set owner and mode of " + title(w.path), Script: settings(w) + setOwnerAndMode}
	}
	return hostfile.Write("write "+title(w.path), hostfile.Wish{
		Path: w.path, Data: w.data, Mode: w.mode, Owner: w.owner, Group: w.group,
	})
}

func settings(w wish) string {
	return "path=" + posixsh.Quote(w.path) + "\nowner=" + posixsh.Quote(w.owner+":"+w.group) + "\nmode=" + posixsh.Quote(w.mode) + "\n"
}

// chown comes first: it clears the set-user-ID bits that chmod may have to set.
const setOwnerAndMode = `if [ -h "$path" ]; then
  echo "pdprov: $path is a symlink now; its target is left alone" >&2
  exit 1
fi
chown -- "$owner" "$path"
chmod -- "$mode" "$path"
`

const makeDirectory = `mkdir -p -- "$path"
` + setOwnerAndMode

const remove = `if [ -d "$path" ] && ! [ -h "$path" ]; then
  rmdir -- "$path"
else
  rm -f -- "$path"
fi
dir=${path%/*}
[ ! -d "$dir/" ] || sync -- "$dir/"
`

// title keeps a path on one line.
func title(path string) string {
	if quoted := fmt.Sprintf("%q", path); quoted != `"`+path+`"` {
		return quoted
	}
	return path
}
