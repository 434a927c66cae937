package venv

import _ "embed"

// build finds or makes a whole environment for the lock, switches the link, and
// removes old environments. An environment has its final path from the start,
// because its programs name it; what makes it whole is the stamp, written last.
//
//go:embed build.sh
var build []byte
