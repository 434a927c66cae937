package packages

import "github.com/pdprov/pdprov/stages/stage"

// Claims says which packages are to be there, and in which version, or not there.
func (Kind) Claims(in stage.Instance) map[stage.Resource]string {
	claims := map[stage.Resource]string{}
	for name, version := range in.Config.Map("packages") {
		want := "installed"
		if version != "*" {
			want += " " + version + "."
		}
		claims[stage.Resource("package:"+name)] = want
	}
	for _, name := range in.Config.List("absent") {
		claims[stage.Resource("package:"+name)] = "absent"
	}
	return claims
}
