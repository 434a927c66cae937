// Package funcs is the table of functions that plan files may call: the ones that
// people know from Terraform, where they make sense here.
package funcs

import (
	"github.com/hashicorp/hcl/v2/ext/tryfunc"
	yaml "github.com/zclconf/go-cty-yaml"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// Table lists the functions by name. Paths start from dir; env reads environ
// (NAME=value).
func Table(dir string, environ []string) map[string]function.Function {
	table := map[string]function.Function{
		"abs": stdlib.AbsoluteFunc, "ceil": stdlib.CeilFunc, "floor": stdlib.FloorFunc,
		"signum": stdlib.SignumFunc, "max": stdlib.MaxFunc, "min": stdlib.MinFunc, "pow": stdlib.PowFunc, "parseint": stdlib.ParseIntFunc,

		"chomp": stdlib.ChompFunc, "format": stdlib.FormatFunc, "formatlist": stdlib.FormatListFunc,
		"indent": stdlib.IndentFunc, "join": stdlib.JoinFunc, "lower": stdlib.LowerFunc, "upper": stdlib.UpperFunc,
		"title": stdlib.TitleFunc, "regex": stdlib.RegexFunc, "regexall": stdlib.RegexAllFunc,
		"regexreplace": stdlib.RegexReplaceFunc, "replace": stdlib.ReplaceFunc, "split": stdlib.SplitFunc,
		"strlen": stdlib.StrlenFunc, "substr": stdlib.SubstrFunc, "strrev": stdlib.ReverseFunc,
		"trim": stdlib.TrimFunc, "trimprefix": stdlib.TrimPrefixFunc, "trimsuffix": stdlib.TrimSuffixFunc,
		"trimspace": stdlib.TrimSpaceFunc,

		"chunklist": stdlib.ChunklistFunc, "coalesce": coalesceFunc, "coalescelist": stdlib.CoalesceListFunc,
		"compact": stdlib.CompactFunc, "concat": stdlib.ConcatFunc, "contains": stdlib.ContainsFunc,
		"distinct": stdlib.DistinctFunc, "element": stdlib.ElementFunc, "flatten": stdlib.FlattenFunc,
		"keys": stdlib.KeysFunc, "lookup": stdlib.LookupFunc, "merge": stdlib.MergeFunc, "range": stdlib.RangeFunc,
		"reverse": stdlib.ReverseListFunc, "setintersection": stdlib.SetIntersectionFunc,
		"setproduct": stdlib.SetProductFunc, "setsubtract": stdlib.SetSubtractFunc, "setunion": stdlib.SetUnionFunc,
		"slice": stdlib.SliceFunc, "sort": stdlib.SortFunc, "values": stdlib.ValuesFunc, "zipmap": stdlib.ZipmapFunc,

		"csvdecode": stdlib.CSVDecodeFunc, "jsondecode": stdlib.JSONDecodeFunc, "jsonencode": stdlib.JSONEncodeFunc,
		"yamldecode": yamlDecodeFunc, "yamlencode": yaml.YAMLEncodeFunc,

		"try": tryfunc.TryFunc, "can": tryfunc.CanFunc,
		"length": lengthFunc, "startswith": startsWithFunc, "endswith": endsWithFunc,
		"basename": basenameFunc, "dirname": dirnameFunc,
		"base64encode": base64EncodeFunc, "base64decode": base64DecodeFunc, "sha256": sha256Func,
	}
	for name, f := range conversions() {
		table[name] = f
	}
	table["env"] = envFunc(environ)
	table["file"] = fileFunc(dir)
	table["fileexists"] = fileExistsFunc(dir)
	table["filesha256"] = fileSHA256Func(dir)
	table["templatefile"] = templateFileFunc(dir, table)
	return table
}
