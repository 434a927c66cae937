package sysctl

import "github.com/pdprov/pdprov/stages/stage"

// Claims says which value each key is to have.
func (Kind) Claims(in stage.Instance) map[stage.Resource]string {
	claims := map[stage.Resource]string{}
	for _, k := range keysOf(in.Config) {
		claims[resource(k)] = k.value + "."
	}
	return claims
}
