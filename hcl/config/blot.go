package config

import (
	"bytes"
	"regexp"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// Blot makes a text unreadable and leaves every byte after it where it is.
func Blot(text []byte) {
	for i, c := range text {
		if c != '\n' && c != '\r' {
			text[i] = '*'
		}
	}
}

// Literals are the places where an expression spells a text or a number out.
func Literals(expr hclsyntax.Expression) (list []hcl.Range) {
	_ = hclsyntax.VisitAll(expr, func(n hclsyntax.Node) hcl.Diagnostics {
		switch n.(type) {
		case *hclsyntax.LiteralValueExpr, *hclsyntax.ObjectConsKeyExpr:
			list = append(list, n.Range())
		}
		return nil
	})
	return list
}

var (
	topBlock   = regexp.MustCompile(`(?m)^[ \t]*(?:variable|locals|host|stage|module|output)\b[ \t]*["{].*`)
	variable   = regexp.MustCompile(`^[ \t]*variable\b[^{\n]*\{?`)
	sensitive  = regexp.MustCompile(`(?i)\bsens`)
	assignment = regexp.MustCompile(`(?m)^[ \t]*[\w-]+[ \t]*=`)
)

// Shroud blots out of a text that no parser understands what may be sensitive: the
// insides of variable blocks that seem to be, and the values of a file without blocks,
// which may have been meant as one of variables. It goes by lines, since nothing else is sure.
func Shroud(text []byte) {
	starts := topBlock.FindAllIndex(text, -1)
	if len(starts) == 0 {
		blotBut(text, assignment.FindAllIndex(text, -1))
	}
	for i, start := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		block := text[start[0]:end]
		if head := variable.FindIndex(block); head != nil && sensitive.Match(block) {
			Blot(block[head[1]:])
		}
	}
}

// blotBut blots all of a text but some places in their order.
func blotBut(text []byte, places [][]int) {
	from := 0
	for _, p := range places {
		Blot(text[from:p[0]])
		from = p[1]
	}
	Blot(text[from:])
}

// BlotAll blots a word wherever it stands in a text.
func BlotAll(text []byte, word string) {
	for {
		i := bytes.Index(text, []byte(word))
		if i < 0 || word == "" {
			return
		}
		Blot(text[i : i+len(word)])
		text = text[i+len(word):]
	}
}
