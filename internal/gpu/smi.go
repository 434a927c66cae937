package gpu

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pdprov/pdprov/internal/record"
	"github.com/pdprov/pdprov/stages/stage"
)

// said is what one call of nvidia-smi printed, and for which fields.
type said struct {
	fields []string
	exit   string
	out    string
}

// noDevices is what nvidia-smi says, with status 6 or 0, where it finds no GPU.
const noDevices = "No devices were found"

func parseSaid(body []byte) (said, error) {
	var s said
	records, err := record.Parse(body)
	if err != nil {
		return s, err
	}
	names := ""
	for _, r := range records {
		switch r.Name {
		case "fields":
			s.fields = strings.Split(r.Data, ",")
		case "exit":
			s.exit = r.Data
		case "out":
			s.out = r.Data
		case "refused":
			continue
		}
		names += r.Name + " "
	}
	if names != "fields exit out " {
		return s, fmt.Errorf("the answer is not whole")
	}
	return s, nil
}

// table splits comma-separated rows by position. At most one field, comma, may hold
// commas itself ("" for none).
func (s said) table(comma string) ([][]string, error) {
	text := strings.TrimSpace(s.out)
	if s.exit != "0" {
		return nil, fmt.Errorf("exit status %s: %.200q", s.exit, text)
	}
	if text == "" {
		return nil, nil
	}
	var rows [][]string
	for line := range strings.Lines(text) {
		row, err := split(strings.TrimRight(line, "\r\n"), s.fields, comma)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func split(line string, fields []string, comma string) ([]string, error) {
	cells := strings.Split(line, ",")
	extra := len(cells) - len(fields)
	at := slices.Index(fields, comma)
	if extra < 0 || extra > 0 && at < 0 {
		return nil, fmt.Errorf("%.200q has %d fields, not %d", line, len(cells), len(fields))
	}
	if extra > 0 {
		cells = slices.Replace(cells, at, at+extra+1, strings.Join(cells[at:at+extra+1], ","))
	}
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells, nil
}

// row is one GPU of a query.
type row struct {
	probe   string
	address string
	cells   map[string]string
}

// value is a field of the row; a field that the driver refused is unknown by itself.
func (r row) value(field string, form *regexp.Regexp) stage.Value {
	text, ok := r.cells[field]
	if !ok {
		return unknown(r.probe, "the driver's nvidia-smi does not know the field "+field)
	}
	return cell(r.probe, field, text, form)
}

// parseRows reads one row a GPU. Every row has an address and no two the same.
func parseRows(probe string, s said) ([]row, error) {
	table, err := s.table("name")
	if err != nil {
		return nil, err
	}
	var rows []row
	seen := map[string]bool{}
	for _, cells := range table {
		r := row{probe: probe, cells: map[string]string{}}
		for i, f := range s.fields {
			r.cells[f] = cells[i]
		}
		address, ok := Address(r.cells["pci.bus_id"])
		if !ok || seen[address] {
			return nil, fmt.Errorf("%.200q has no PCI address of its own", strings.Join(cells, ", "))
		}
		seen[address], r.address = true, address
		rows = append(rows, r)
	}
	return rows, nil
}

// parseProcesses reads who holds GPUs. A name may hold commas, so it comes last.
func parseProcesses(s said) ([]Process, error) {
	table, err := s.table("process_name")
	if err != nil {
		return nil, err
	}
	processes := []Process{}
	for _, cells := range table {
		if len(cells) != 4 || !numberForm.MatchString(cells[0]) || !holderForm.MatchString(cells[1]) {
			return nil, fmt.Errorf("%.200q is no process with its GPU", strings.Join(cells, ", "))
		}
		processes = append(processes, Process{
			PID: cells[0], GPU: cells[1],
			MemoryMiB: cell(processesID, "used_memory", cells[2], numberForm),
			Name:      cell(processesID, "process_name", cells[3], nameForm),
		})
	}
	return processes, nil
}
