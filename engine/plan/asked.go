package plan

import (
	"encoding/json"

	"github.com/pdprov/pdprov/hcl/model"
	"github.com/pdprov/pdprov/stages/stage"
)

// asked is all that a plan says of a stage on a host, secrets included, in one text: two
// of them are the same where nobody edited the plan in between. Stages that it refers to only
// through others are theirs.
func asked(in stage.Instance, st *model.Stage) string {
	refs := map[string]stage.Referred{}
	for _, addr := range st.Refs {
		if r, ok := in.Refs[addr]; ok {
			refs[addr] = r
		}
	}
	text, err := json.Marshal(struct {
		Host   stage.Host
		Values map[string]any
		Refs   map[string]stage.Referred
		Ignore []string
	}{in.Host, in.Config.Values, refs, st.Ignore})
	if err != nil {
		panic("plan: decoded attributes cannot fail to encode: " + err.Error())
	}
	return string(text)
}
