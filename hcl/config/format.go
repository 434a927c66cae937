package config

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclwrite"
)

// Format lays a file's text out anew. A file with syntax errors is left as it is.
func Format(src []byte, name string) ([]byte, hcl.Diagnostics) {
	if diags := Bounds(src, name); diags.HasErrors() {
		return src, diags
	}
	if _, diags := hclwrite.ParseConfig(src, name, hcl.InitialPos); diags.HasErrors() {
		return src, diags
	}
	return hclwrite.Format(src), nil
}
