package nvrepo

import (
	"fmt"

	"github.com/pdprov/pdprov/internal/apt"
	"github.com/pdprov/pdprov/internal/dnf"
	"github.com/pdprov/pdprov/internal/hostfile"
	"github.com/pdprov/pdprov/internal/osrelease"
	"github.com/pdprov/pdprov/internal/posixsh"
	"github.com/pdprov/pdprov/stages/stage"
)

// Steps put the repository in its place where the changes say that it is not, and fetch
// its lists; the caller has made apt ready before.
func Steps(in stage.Instance, f stage.Facts, changes []stage.Change) []stage.Step {
	sys, _, _ := osrelease.Read(f)
	r, ok := Of(in.Config, sys)
	if !ok || !changed(changes) {
		return nil
	}
	var steps []stage.Step
	if stage.Changed(changes, KeyPath) {
		steps = append(steps, r.keyStep())
	}
	seen, _, _ := r.sources(f)
	if clashing := files(others(seen.entries, r.URL)); len(clashing) > 0 {
		if !r.rpm { // for dnf the key's step has proved the key
			steps = append(steps, r.prove())
		}
		return append(steps, r.replace(seen, clashing))
	}
	steps = append(steps, hostfile.Write("write "+r.file(), hostfile.Wish{
		Path: r.file(), Data: []byte(r.line()), Mode: "0644", Owner: "root", Group: "root",
	}))
	return append(steps, r.step("fetch the package lists of "+r.URL, posixsh.Words("refresh_source", r.refreshed(), r.URL)))
}

// step may call the functions of the repository's package manager.
func (r Repository) step(title string, lines ...string) stage.Step {
	if r.rpm {
		return dnf.Step(title, lines...)
	}
	return apt.Step(title, lines...)
}

// refreshed is what refresh_source calls the repository: dnf by its name, apt by its file.
func (r Repository) refreshed() string {
	if r.rpm {
		return repoID
	}
	return ListFile
}

// files are the names of the files of entries, each once.
func files(list []entry) (names []string) {
	for i, e := range list {
		if i == 0 || e.file != list[i-1].file {
			names = append(names, e.file)
		}
	}
	return names
}

// keyStep writes the key. One that the host fetches is not believed here: the source
// names the fingerprint, so apt refuses what any other key signed, and the look after
// the steps reads which key the file holds. dnf would take any key, so there it is proved
// by the step.
func (r Repository) keyStep() stage.Step {
	if r.Key != nil {
		return hostfile.Write("write "+r.keyFile(), hostfile.Wish{
			Path: r.keyFile(), Data: r.Key, Mode: "0644", Owner: "root", Group: "root",
		})
	}
	title := fmt.Sprintf("fetch the key %s", r.Fingerprint)
	if r.rpm {
		return dnf.Step(title, posixsh.Words("fetch_key", r.keyURL(), RPMKeyFile, r.Fingerprint))
	}
	return apt.Step(title, posixsh.Words("fetch_file", r.keyURL(), KeyFile))
}

// Writes are what Steps changes on the host that the facts are of; where its system is not
// known, what they change on any.
func Writes(f stage.Facts) []stage.Resource {
	withApt := []stage.Resource{"path:/etc/apt/sources.list.d", "path:" + KeyFile}
	withDNF := []stage.Resource{"path:/etc/yum.repos.d", "path:" + RPMKeyFile}
	switch sys, _, known := osrelease.Read(f); {
	case !known:
		return append(withApt, withDNF...)
	case dnf.On(sys):
		return withDNF
	default:
		return withApt
	}
}

// Claims lets stages share the repository as long as they agree about it.
func Claims(in stage.Instance, claims map[stage.Resource]string) {
	c := in.Config
	for _, file := range []string{ListFile, RepoFile} {
		claims[stage.Resource("path:"+file)] = "repository " + c.Text("repository") + " signed by " + Fingerprint(c.Text("key_fingerprint")) + "."
	}
}
