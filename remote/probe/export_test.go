package probe

import "github.com/pdprov/pdprov/stages/stage"

// Batch is the text of a look at these probes, for the linter.
func Batch(probes []stage.Probe) string { return batch(group(questions(probes), "sep"), "nonce", 20) }

// Plumbing is the text around one script, for the linter.
const Plumbing = plumbing
