package funcs

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

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
			switch {
			case len(args) > 2:
				return cty.NilVal, function.NewArgErrorf(2, "there is one default at most")
			case strings.HasPrefix(name, "PDPROV_VAR_"):
				return cty.NilVal, function.NewArgErrorf(0, "PDPROV_VAR_NAME is read as var.NAME, so that it can be sensitive")
			}
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
	switch {
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a file", path)
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%s has %d bytes; at most %d can be read into a plan", path, info.Size(), maxFile)
	}
	return os.ReadFile(path)
}

// ofFile makes a function from the content of a file to a text.
func ofFile(dir string, do func(data []byte) (string, error)) function.Function {
	return textNamed("path", func(path string) (string, error) {
		data, err := read(dir, path)
		if err != nil {
			return "", err
		}
		return do(data)
	})
}

func fileFunc(dir string) function.Function {
	return ofFile(dir, readable)
}

// readable is the text of a file. Expressions keep text in one normal form of Unicode,
// so a file in another one would change silently.
func readable(data []byte) (string, error) {
	text := string(data)
	switch {
	case !utf8.ValidString(text):
		return "", fmt.Errorf("the file is not UTF-8 text; give it to a stage with source instead")
	case cty.NormalizeString(text) != text:
		return "", fmt.Errorf("the file holds letters with separate accents, which expressions would change; give it to a stage with source instead")
	}
	return text, nil
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
