package config

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// What a text may hold at most. The parser calls itself for each bracket and for each
// sign, and would end the program where the stack ends.
const (
	maxBytes = 16 << 20
	maxDepth = 500
	maxSigns = 10_000
)

// Bounds refuses a text that no person writes, before it is parsed.
func Bounds(text []byte, name string) hcl.Diagnostics {
	start := hcl.Range{Filename: name, Start: hcl.InitialPos, End: hcl.InitialPos}
	if len(text) > maxBytes {
		return tooMuch(start, fmt.Sprintf("It has %d bytes, and %d are the most. Is it the file that you mean?", len(text), maxBytes))
	}
	tokens, _ := hclsyntax.LexConfig(text, name, hcl.InitialPos) // the parser tells what is wrong
	return deep(tokens)
}

// TemplateBounds is Bounds for a template.
func TemplateBounds(text []byte, name string) hcl.Diagnostics {
	tokens, _ := hclsyntax.LexTemplate(text, name, hcl.InitialPos)
	return deep(tokens)
}

func deep(tokens hclsyntax.Tokens) hcl.Diagnostics {
	depth, signs := 0, 0
	for _, t := range tokens {
		switch t.Type {
		case hclsyntax.TokenOBrace, hclsyntax.TokenOParen, hclsyntax.TokenOBrack, hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
			depth++
		case hclsyntax.TokenCBrace, hclsyntax.TokenCParen, hclsyntax.TokenCBrack, hclsyntax.TokenTemplateSeqEnd:
			depth--
		case hclsyntax.TokenBang, hclsyntax.TokenMinus, hclsyntax.TokenQuestion:
			signs++
		case hclsyntax.TokenComma, hclsyntax.TokenEqual:
			signs = 0
		}
		if depth > maxDepth {
			return tooMuch(t.Range, fmt.Sprintf("Brackets stand more than %d deep in each other here.", maxDepth))
		}
		if signs > maxSigns {
			return tooMuch(t.Range, fmt.Sprintf("One expression has more than %d of the signs ! - and ?.", maxSigns))
		}
	}
	return nil
}

func tooMuch(rng hcl.Range, detail string) hcl.Diagnostics {
	return hcl.Diagnostics{{Severity: hcl.DiagError, Summary: "More than pdprov reads", Detail: detail, Subject: &rng}}
}
