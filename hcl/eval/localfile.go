package eval

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/pdprov/pdprov/stages/stage"
)

// maxLocalFile bounds a file that travels with a plan.
const maxLocalFile = 64 << 20

// localFile reads a file of this machine, named from the folder of the plan file.
func (in *instance) localFile(path string) (any, string) {
	full := path
	if !filepath.IsAbs(path) {
		full = filepath.Join(in.block.Dir, path)
	}
	info, err := os.Stat(full)
	switch {
	case os.IsNotExist(err) && in.s.e.o.Locks:
		return stage.LocalData{Path: path}, ""
	case err != nil:
		return nil, fmt.Sprintf("the file cannot be read: %s.", err)
	case !info.Mode().IsRegular():
		return nil, fmt.Sprintf("%s is not a file.", full)
	case info.Size() > maxLocalFile:
		return nil, fmt.Sprintf("%s has %d bytes; at most %d can travel with a plan.", full, info.Size(), maxLocalFile)
	}
	data, err := os.ReadFile(full)
	if err != nil {
		return nil, fmt.Sprintf("the file cannot be read: %s.", err)
	}
	return stage.LocalData{Path: path, Data: data}, ""
}
