package record

import (
	"fmt"
	"strings"
)

// Item is a record with the ones that belong to it: those behind it whose names begin
// with a dot, which Fields leaves out.
type Item struct {
	Record
	Fields map[string]string
}

// Items reads an answer that ends with a record "end"; without it the answer is cut off.
func Items(body []byte) ([]Item, error) {
	records, err := Parse(body)
	if err != nil {
		return nil, err
	}
	if n := len(records); n == 0 || records[n-1].Name != "end" {
		return nil, fmt.Errorf("the answer is cut off")
	}
	var all []Item
	for _, r := range records[:len(records)-1] {
		switch name, field := strings.CutPrefix(r.Name, "."); {
		case !field:
			all = append(all, Item{r, map[string]string{}})
		case len(all) == 0:
			return nil, fmt.Errorf("%.40q belongs to nothing", r.Name)
		default:
			all[len(all)-1].Fields[name] = r.Data
		}
	}
	return all, nil
}
