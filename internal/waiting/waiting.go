// Package waiting is how steps wait for a package manager that somebody else uses, be it
// apt or dnf.
package waiting

import _ "embed"

// Functions is the sh text of wait_for_locks. Behind it the sh function lock_holder has to
// stand, which prints who holds a lock and fails where nobody does.
//
//go:embed waiting.sh
var Functions string
