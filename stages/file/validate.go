package file

import (
	"fmt"
	"strings"

	"github.com/pdprov/pdprov/internal/hostfile"
	"github.com/pdprov/pdprov/stages/stage"
)

// Validate checks the block by itself.
func (Kind) Validate(in stage.Instance) []stage.Finding {
	c := in.Config
	var found []stage.Finding
	add := func(path, summary, detail string) {
		found = append(found, stage.Finding{Path: path, Summary: summary, Detail: detail})
	}
	if why := hostfile.BadPath(c.Text("path")); why != "" {
		add("path", "Not a usable path", why)
	}
	if m := c.Text("mode"); c.Has("mode") && !octal(m) {
		add("mode", "Not an octal mode", fmt.Sprintf("A mode is three or four octal digits such as \"0644\", not %q.", m))
	}
	for _, name := range []string{"owner", "group"} {
		if v := c.Text(name); c.Has(name) && (v == "" || strings.ContainsAny(v, ":\n/ ")) {
			add(name, "Not a user or group", fmt.Sprintf("%q cannot be the name or number of a user or group.", v))
		}
	}
	return append(found, contentFindings(c)...)
}

func octal(m string) bool {
	return (len(m) == 3 || len(m) == 4) && strings.Trim(m, "01234567") == ""
}

func contentFindings(c stage.Config) []stage.Finding {
	content, source := c.Has("content"), c.Has("source")
	ensure := read(c).ensure
	switch {
	case content && source:
		return []stage.Finding{{Path: "source", Summary: "Both content and source", Detail: "A file takes its content either from content or from source. Remove one of them."}}
	case ensure == present && !content && !source:
		return []stage.Finding{{Path: "", Summary: "No content", Detail: "A file needs content or source. For an empty file say content = \"\"; to remove the file say ensure = \"absent\"."}}
	case ensure != present && content:
		return []stage.Finding{{Path: "content", Summary: "Content for what is no file", Detail: fmt.Sprintf("With ensure = %q there is no content to keep. Remove content.", ensure)}}
	case ensure != present && source:
		return []stage.Finding{{Path: "source", Summary: "Content for what is no file", Detail: fmt.Sprintf("With ensure = %q there is no content to keep. Remove source.", ensure)}}
	}
	return nil
}
