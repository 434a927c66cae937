package file

import "github.com/pdprov/pdprov/stages/stage"

// Claims says that one stage decides about a path.
func (Kind) Claims(in stage.Instance) map[stage.Resource]string {
	return map[stage.Resource]string{stage.Resource("path:" + in.Config.Text("path")): in.Addr}
}
