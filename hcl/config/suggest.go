package config

import (
	"fmt"

	"github.com/agext/levenshtein"
)

// Suggest is the sentence that names what may have been meant, with a space before
// it; "" when nothing is near.
func Suggest(given string, known []string) string {
	best, distance := "", min(3, len(given)/2+1) // of a short word everything is near
	for _, name := range known {
		if d := levenshtein.Distance(given, name, nil); d < distance {
			best, distance = name, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" Did you mean %q?", best)
}
