// Package modules holds the modules that come with pdprov, a folder each; a plan uses
// one with source = "builtin/NAME".
package modules

import "embed"

// FS holds the modules.
//
//go:embed http_service
var FS embed.FS
