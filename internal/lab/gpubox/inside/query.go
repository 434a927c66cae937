package inside

import (
	"fmt"
	"strconv"
	"strings"
)

// csv holds what --format asked for.
type csv struct{ header, units bool }

func (c smiCall) csv() (csv, bool) {
	words := strings.Split(c.format, ",")
	f := csv{header: true, units: true}
	ok := false
	for _, w := range words {
		switch strings.TrimSpace(w) {
		case "csv":
			ok = true
		case "noheader":
			f.header = false
		case "nounits":
			f.units = false
		}
	}
	return f, ok
}

const noFormat = "\"--format=\" switch is missing. Please run 'nvidia-smi -h' for help.\n\n"

func (c smiCall) queryGPU(gpus []indexed, driver string) int {
	format, ok := c.csv()
	if !ok {
		fmt.Print(noFormat)
		return 2
	}
	names := split(c.query)
	known := fields()
	var header []string
	for _, n := range names {
		f, ok := known[n]
		if !ok || n == set("smi-unknown-field") {
			fmt.Printf("Field %q is not a valid field to query.\n\n", n)
			return 2
		}
		header = append(header, title(n, f.unit))
	}
	if format.header {
		fmt.Println(strings.Join(header, ", "))
	}
	for _, g := range gpus {
		var row []string
		for _, n := range names {
			f := known[n]
			value := odd(n, f, f.value(g, driver))
			if _, err := strconv.ParseFloat(value, 64); f.unit != "" && format.units && err == nil {
				value += " " + f.unit
			}
			row = append(row, value)
		}
		fmt.Println(strings.Join(row, ", "))
	}
	return 0
}

func title(name, unit string) string {
	if unit != "" {
		return name + " [" + unit + "]"
	}
	return name
}

func split(list string) []string {
	var names []string
	for _, n := range strings.Split(list, ",") {
		names = append(names, strings.TrimSpace(n))
	}
	return names
}
