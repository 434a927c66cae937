package unit

import "github.com/pdprov/pdprov/stages/stage"

// Claims says that one stage decides about a unit, and about its file where it writes it.
func (Kind) Claims(in stage.Instance) map[stage.Resource]string {
	w := read(in)
	claims := map[stage.Resource]string{stage.Resource("unit:" + w.name): in.Addr}
	if w.content != nil || w.absent {
		claims[stage.Resource("path:"+w.path)] = in.Addr
	}
	return claims
}
