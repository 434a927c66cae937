package view

import (
	"io"
	"strings"

	"github.com/hashicorp/hcl/v2"
)

// Diagnostics shows what is wrong with plan files: the place, the line, and what to do.
func Diagnostics(w io.Writer, diags hcl.Diagnostics, files map[string]*hcl.File, s Style) error {
	if len(diags) == 0 {
		return nil
	}
	return hcl.NewDiagnosticTextWriter(w, files, uint(max(0, s.Width)), s.Color).WriteDiagnostics(harmless(diags))
}

// harmless escapes the words of diagnostics, which may hold a host's words.
func harmless(diags hcl.Diagnostics) hcl.Diagnostics {
	out := make(hcl.Diagnostics, 0, len(diags))
	for _, d := range diags {
		c := *d
		c.Summary, c.Detail = Escape(d.Summary), EscapeLines(strings.TrimSpace(d.Detail))
		out = append(out, &c)
	}
	return out
}
