package funcs

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
)

func TestYAML(t *testing.T) {
	v, err := yamlDecodeFunc.Call([]cty.Value{cty.StringVal("a: &x [1, two]\nb: *x\nc: {d: true}\n")})
	pair := cty.TupleVal([]cty.Value{cty.NumberIntVal(1), cty.StringVal("two")})
	want := cty.ObjectVal(map[string]cty.Value{"a": pair, "b": pair, "c": cty.ObjectVal(map[string]cty.Value{"d": cty.True})})
	if err != nil || !v.RawEquals(want) {
		t.Errorf("%#v %v", v, err)
	}
	bomb := "a0: &a0 [x,x,x,x,x,x,x,x,x]\n"
	for i := range 20 {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i+1, i+1, strings.Repeat(fmt.Sprintf("*a%d, ", i), 9))
	}
	for text, why := range map[string]string{
		bomb:                                "too large",
		strings.Repeat("[", 1_000_000):      "500 levels",
		strings.Repeat("- ", 400_000) + "x": "500 levels",
		strings.Repeat("x", 2_000_000):      "1048576 bytes",
		"a: [":                              "line 1",
		"a: &a [*a]":                        "inside its own definition",
	} {
		if _, err := yamlDecodeFunc.Call([]cty.Value{cty.StringVal(text)}); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%.40q: %v", text, err)
		}
	}
}

func TestCoalesce(t *testing.T) {
	null := cty.NullVal(cty.DynamicPseudoType)
	for _, c := range []struct {
		args []cty.Value
		want cty.Value
	}{
		{[]cty.Value{cty.StringVal(""), cty.StringVal("/z")}, cty.StringVal("/z")},
		{[]cty.Value{null, cty.NumberIntVal(0)}, cty.NumberIntVal(0)},
		{[]cty.Value{cty.StringVal(""), cty.NumberIntVal(5)}, cty.StringVal("5")},
		{[]cty.Value{cty.UnknownVal(cty.String), cty.StringVal("x")}, cty.UnknownVal(cty.String)},
		{[]cty.Value{null, cty.StringVal("")}, cty.NilVal},
		{[]cty.Value{cty.StringVal("x"), cty.EmptyTupleVal}, cty.NilVal},
	} {
		v, err := coalesceFunc.Call(c.args)
		if (err != nil) != (c.want == cty.NilVal) || err == nil && !v.RawEquals(c.want) {
			t.Errorf("%#v: %#v %v", c.args, v, err)
		}
	}
}
