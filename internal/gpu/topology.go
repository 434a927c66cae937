package gpu

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/pdprov/pdprov/stages/stage"
)

// Topology is how GPUs reach one another, as nvidia-smi topo -m draws it: PIX, PXB, PHB,
// NODE, SYS, or NV and the number of NVLinks. Its CPU lists are not used: they have been
// seen wrong.
type Topology struct {
	// Known is the number of GPUs of the matrix, or why there is none.
	Known stage.Value         `json:"known"`
	Links map[string][]string `json:"links,omitempty"` // by index: row of the matrix, in order of index
}

var (
	escapeCode = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]")
	columnForm = regexp.MustCompile(`^(GPU|NIC)[0-9]{1,3}$`)
	linkForm   = regexp.MustCompile(`^(X|PIX|PXB|PHB|NODE|SYS|NV[0-9]{1,3}|C2C)$`)
)

// parseTopology reads the GPU columns of the GPU rows. Columns behind them, of which one
// can be empty, are only skipped.
func parseTopology(text string) (map[string][]string, error) {
	lines := strings.Split(escapeCode.ReplaceAllString(text, ""), "\n")
	columns := gpuColumns(lines[0])
	if len(columns) == 0 {
		return nil, fmt.Errorf("%.200q is no line of GPUs", lines[0])
	}
	links := map[string][]string{}
	for _, line := range lines[1:] {
		f := strings.Split(line, "\t")
		index, ok := strings.CutPrefix(strings.TrimSpace(f[0]), "GPU")
		if !ok {
			continue
		}
		if err := topologyRow(links, index, columns, f[1:]); err != nil {
			return nil, err
		}
	}
	if len(links) != len(columns) {
		return nil, fmt.Errorf("%d rows for %d GPUs", len(links), len(columns))
	}
	return links, nil
}

func gpuColumns(header string) (columns []string) {
	f := strings.Split(header, "\t")
	for _, name := range f[1:] {
		name = strings.TrimSpace(name)
		index, gpu := strings.CutPrefix(name, "GPU")
		if !gpu || !columnForm.MatchString(name) {
			break
		}
		columns = append(columns, index)
	}
	return columns
}

func topologyRow(links map[string][]string, index string, columns, cells []string) error {
	if _, twice := links[index]; twice || len(cells) < len(columns) {
		return fmt.Errorf("the row of GPU%.10s comes twice or is too short", index)
	}
	known := false
	row := make([]string, len(columns))
	for i, c := range columns {
		row[i] = strings.TrimSpace(cells[i])
		self := c == index
		known = known || self
		if !linkForm.MatchString(row[i]) || self != (row[i] == "X") {
			return fmt.Errorf("%.40q links GPU%.10s and GPU%s", row[i], index, c)
		}
	}
	if !known {
		return fmt.Errorf("GPU%.10s has a row and no column", index)
	}
	links[index] = row
	return nil
}
