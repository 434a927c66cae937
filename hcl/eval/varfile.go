package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/pdprov/pdprov/hcl/config"
)

// varFile reads a file of values for variables.
func (e *evaluation) varFile(path string, declared map[string]config.Block, names []string, values map[string]given) hcl.Diagnostics {
	text, err := os.ReadFile(path)
	if err != nil {
		return hcl.Diagnostics{unplaced("Variables file cannot be read", err.Error()+".")}
	}
	found, diags := parseVarFile(path, text)
	keys := make([]string, 0, len(found))
	for name := range found {
		keys = append(keys, name)
	}
	sort.Strings(keys)
	for _, name := range keys {
		if _, ok := declared[name]; !ok {
			diags = append(diags, &hcl.Diagnostic{
				Severity: hcl.DiagWarning, Summary: "Undeclared variable",
				Detail: fmt.Sprintf("%s gives a value to %q, which the plan does not declare.%s", path, name, config.Suggest(name, names)),
			})
			continue
		}
		values[name] = given{value: found[name], from: path}
	}
	return diags
}

func parseVarFile(path string, text []byte) (map[string]cty.Value, hcl.Diagnostics) {
	if filepath.Ext(path) == ".json" {
		return parseJSONVarFile(path, text)
	}
	if diags := config.Bounds(text, path); diags.HasErrors() {
		return nil, diags
	}
	found := map[string]cty.Value{}
	f, diags := hclsyntax.ParseConfig(text, path, hcl.InitialPos)
	if diags.HasErrors() {
		return nil, diags
	}
	attrs, more := f.Body.JustAttributes()
	diags = append(diags, more...)
	for name, attr := range attrs {
		v, more := attr.Expr.Value(nil)
		diags = append(diags, more...)
		found[name] = v
	}
	return found, diags
}

func parseJSONVarFile(path string, text []byte) (map[string]cty.Value, hcl.Diagnostics) {
	var raw map[string]ctyjson.SimpleJSONValue
	err := json.Unmarshal(text, &raw)
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		err = errors.New("the file holds no JSON object of names and values")
	}
	if err != nil {
		return nil, hcl.Diagnostics{unplaced("Variables file cannot be read", fmt.Sprintf("%s: %s.", path, err))}
	}
	found := map[string]cty.Value{}
	for name, v := range raw {
		found[name] = v.Value
		if v.Value == cty.NilVal { // null does not reach UnmarshalJSON
			found[name] = cty.NullVal(cty.DynamicPseudoType)
		}
	}
	return found, nil
}
