package funcs

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// maxFile bounds what is read into a plan.
const maxFile = 64 << 20

// envFunc gives a variable of the environment; the second argument is for when it is not set.
func envFunc(environ []string) function.Function {
	return function.New(&function.Spec{
		Params:   []function.Parameter{{Name: "name", Type: cty.String}},
		VarParam: &function.Parameter{Name: "default", Type: cty.String, AllowNull: true},
		Type:     function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			name := args[0].AsString()
			for i := len(environ) - 1; i >= 0; i-- {
				if value, ok := strings.CutPrefix(environ[i], name+"="); ok {
					return cty.StringVal(value), nil
				}
			}
			if len(args) > 1 {
				return args[1], nil
			}
			return cty.NilVal, function.NewArgErrorf(0, "%s is not set in the environment; give a second argument for that case", name)
		},
	})
}

func read(dir, path string) ([]byte, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, fmt.Errorf("%s is not a file of at most %d bytes", path, maxFile)
	}
	return os.ReadFile(path)
}

// ofFile makes a function from the content of a file to a text.
func ofFile(dir string, do func(data []byte) (string, error)) function.Function {
	return text(func(path string) (string, error) {
		data, err := read(dir, path)
		if err != nil {
			return "", err
		}
		return do(data)
	})
}

func fileFunc(dir string) function.Function {
	return ofFile(dir, func(data []byte) (string, error) {
		if !utf8.Valid(data) {
			return "", fmt.Errorf("the file is not UTF-8 text; give it to a stage with source instead")
		}
		return string(data), nil
	})
}

func fileSHA256Func(dir string) function.Function {
	return ofFile(dir, func(data []byte) (string, error) {
		sum := sha256.Sum256(data)
		return hex.EncodeToString(sum[:]), nil
	})
}

func fileExistsFunc(dir string) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "path", Type: cty.String}},
		Type:   function.StaticReturnType(cty.Bool),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			path := args[0].AsString()
			if !filepath.IsAbs(path) {
				path = filepath.Join(dir, path)
			}
			info, err := os.Stat(path)
			switch {
			case os.IsNotExist(err):
				return cty.False, nil
			case err != nil:
				return cty.NilVal, function.NewArgError(0, err)
			}
			return cty.BoolVal(info.Mode().IsRegular()), nil
		},
	})
}

// templateFileFunc fills a template in; the second argument holds its names. A
// template may call every function but templatefile, so that it cannot go on for ever.
func templateFileFunc(dir string, table map[string]function.Function) function.Function {
	render := func(args []cty.Value) (cty.Value, error) {
		data, err := read(dir, args[0].AsString())
		if err != nil {
			return cty.NilVal, function.NewArgError(0, err)
		}
		expr, diags := hclsyntax.ParseTemplate(data, args[0].AsString(), hcl.InitialPos)
		if diags.HasErrors() {
			return cty.NilVal, function.NewArgErrorf(0, "%s", diags.Error())
		}
		if t := args[1].Type(); !t.IsObjectType() && !t.IsMapType() {
			return cty.NilVal, function.NewArgErrorf(1, "the names of a template are an object: { name = value }")
		}
		inside := map[string]function.Function{}
		for name, f := range table {
			if name != "templatefile" {
				inside[name] = f
			}
		}
		v, diags := expr.Value(&hcl.EvalContext{Variables: args[1].AsValueMap(), Functions: inside})
		if diags.HasErrors() {
			return cty.NilVal, function.NewArgErrorf(0, "%s", diags.Error())
		}
		return v, nil
	}
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "path", Type: cty.String}, {Name: "vars", Type: cty.DynamicPseudoType}},
		Type: func(args []cty.Value) (cty.Type, error) {
			if !args[0].IsKnown() || !args[1].IsKnown() {
				return cty.DynamicPseudoType, nil
			}
			v, err := render(args)
			if err != nil {
				return cty.NilType, err
			}
			return v.Type(), nil
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) { return render(args) },
	})
}
