package manifest

import (
	"crypto/hmac"

	"github.com/pdprov/pdprov/stages/stage"
)

// Cause says where the difference between a wish and a sight comes from. r is
// nil when the host remembers nothing of the stage. asked is what the plan says of it now.
func (r *Record) Cause(path string, want, have stage.Value, asked string) stage.Cause {
	if have.State == stage.Unknown {
		return stage.CauseUnknown
	}
	if r == nil {
		return stage.CauseNew
	}
	edited := r.edited(asked)
	if it, ok := r.Items[path]; !ok || it.Of != want.Of {
		return either(edited && !want.FromHost, stage.CauseEdited, stage.CauseUnknown)
	}
	sameWish, sameSight := r.Fulfils(path, want), r.Fulfils(path, have)
	switch {
	case sameSight && sameWish:
		return stage.CauseUnknown
	case sameSight && want.FromHost: // something else on the host moved the wish, or an edit did
		return either(edited, stage.CauseUnknown, stage.CauseHost)
	case sameSight: // unless the plan was edited, this pdprov wants another thing than its forerunner
		return either(edited, stage.CauseEdited, stage.CauseUnknown)
	case sameWish:
		return stage.CauseHost
	}
	return either(edited, stage.CauseBoth, stage.CauseHost)
}

// edited says whether the plan may say something else of the stage than when it was applied.
func (r *Record) edited(asked string) bool {
	return !hmac.Equal([]byte(r.Asked), []byte(digest(asked, r.Salt)))
}

func either(first bool, a, b stage.Cause) stage.Cause {
	if first {
		return a
	}
	return b
}
