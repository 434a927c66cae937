package view

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pdprov/pdprov/internal/gpu"
	"github.com/pdprov/pdprov/stages/stage"
)

// ofGPUs takes what is said of single GPUs out of a surface.
func ofGPUs(s stage.Surface) (gpus, rest stage.Surface) {
	gpus, rest = stage.Surface{}, stage.Surface{}
	for path, v := range s {
		if _, _, ok := ofGPU(path); ok && gpuCount(s) > 0 {
			gpus[path] = v
		} else {
			rest[path] = v
		}
	}
	return gpus, rest
}

// ofGPU splits "gpu.0.uuid".
func ofGPU(path string) (n int, name string, ok bool) {
	path, ok = strings.CutPrefix(path, "gpu.")
	number, name, dotted := strings.Cut(path, ".")
	n, err := strconv.Atoi(number)
	return n, name, ok && dotted && err == nil
}

// installedGPUs is a row for each GPU, and a line for each value that has no column: once
// where all GPUs have the same, else in their order.
func (o *output) installedGPUs(s stage.Surface) {
	if len(s) == 0 {
		return
	}
	o.gpuTable(s)
	var rows [][]string
	for _, name := range moreOfGPUs(s) {
		var cells []string
		for n := range gpuCount(s) {
			cells = append(cells, gpuCell(s[gpuPath(n, name)]))
		}
		if len(slices.Compact(slices.Clone(cells))) == 1 {
			cells = cells[:1]
		}
		rows = append(rows, []string{"    gpu.*." + Escape(name), strings.Join(cells, ", ")})
	}
	o.table(rows)
	o.doubts(gpu.Doubts(s))
}

// moreOfGPUs names what a surface says of GPUs beside the columns, in order.
func moreOfGPUs(s stage.Surface) []string {
	more := map[string]bool{}
	for path := range s {
		_, name, _ := ofGPU(path)
		more[name] = true
	}
	for _, c := range gpuColumns {
		delete(more, c.name)
	}
	return slices.Sorted(maps.Keys(more))
}
