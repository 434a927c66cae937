package plan

import (
	"encoding/json"

	"github.com/pdprov/pdprov/stages/stage"
)

// asked is all that a plan says of a stage on a host, secrets included, in one text: two
// of them are the same where nobody edited the plan in between.
func asked(in stage.Instance, ignore []string) string {
	text, err := json.Marshal(struct {
		Host   stage.Host
		Values map[string]any
		Refs   map[string]stage.Referred
		Ignore []string
	}{in.Host, in.Config.Values, in.Refs, ignore})
	if err != nil {
		panic("plan: decoded attributes cannot fail to encode: " + err.Error())
	}
	return string(text)
}
