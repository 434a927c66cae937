package venv

import "github.com/pdprov/pdprov/stages/stage"

// Claims says that one stage decides about a path and the folder beside it.
func (Kind) Claims(in stage.Instance) map[stage.Resource]string {
	path := in.Config.Text("path")
	return map[stage.Resource]string{stage.Resource("path:" + path): in.Addr, stage.Resource("path:" + path + ".d"): in.Addr}
}
