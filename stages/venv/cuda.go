package venv

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pdprov/pdprov/internal/pyenv"
	"github.com/pdprov/pdprov/stages/stage"
)

// backends are the values of the attribute cuda: the names of torch's indexes.
var backends = []string{"cpu", "cu118", "cu124", "cu126", "cu128", "cu129", "cu130"}

// family are the distributions that torch's own indexes build for each CUDA, with triton,
// whose builds there are not those of PyPI.
var family = []string{"torch", "torchvision", "torchaudio", "torchao", "torchcodec", "torchtext", "torchdata", "torch-tensorrt", "triton", "pytorch-triton"}

func torchFamily(name string) bool { return slices.Contains(family, name) }

// torchIndex is the index of torch for the wanted CUDA, "" without one.
func (w wish) torchIndex() string {
	if w.torchURL != "" || w.cuda == "" {
		return w.torchURL
	}
	return "https://download.pytorch.org/whl/" + w.cuda
}

// torchLock is the part of a requirements lock that is fetched from torch's index alone,
// so that nothing else can be taken from there.
func (w wish) torchLock() []byte {
	var b strings.Builder
	for _, line := range joined(string(w.data)) {
		fields := strings.Fields(line.text)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "-") {
			continue
		}
		name, _, _ := strings.Cut(line.text, "==")
		name, _, _ = strings.Cut(name, "[")
		if torchFamily(pyenv.Normal(strings.TrimSpace(name))) {
			b.WriteString(strings.Join(fields, " ") + "\n")
		}
	}
	return []byte(b.String())
}

// tagged says which lines of the lock are not of the wanted CUDA.
func (w wish) tagged(file string) (found []stage.Finding) {
	if w.cuda == "" {
		return nil
	}
	for _, p := range w.lock["torch"] {
		_, local, has := strings.Cut(p.version, "+")
		switch {
		case !has && !w.pylock:
			found = append(found, stage.Finding{Path: "lock", Summary: "A torch without its CUDA", Detail: fmt.Sprintf(
				"%s, line %d: torch==%s names no CUDA, and each index has its own build of it: PyPI's is for whatever CUDA that release chose, and uv takes 2.8.0 for 2.8.0+cu126 no more. Write torch==%s+%s, or let pdprov lock do it.",
				file, p.line, p.version, p.version, w.cuda)})
		case has && local != w.cuda:
			found = append(found, stage.Finding{Path: "lock", Summary: "A torch for another CUDA", Detail: fmt.Sprintf(
				"%s, line %d: torch==%s is not the build for cuda = %q. Resolve the lock again (pdprov lock), or change cuda.", file, p.line, p.version, w.cuda)})
		}
	}
	return found
}

// torchPath is the path of the surface that holds the CUDA of the installed torch.
const torchPath = "torch.cuda"

// wantedCUDA is "13.0" for cu130 and "none" for cpu; false where nothing is asked for.
func (w wish) wantedCUDA() (string, bool) {
	if _, has := w.lock["torch"]; w.cuda == "" || !has {
		return "", false
	}
	digits, ok := strings.CutPrefix(w.cuda, "cu")
	if !ok {
		return none, true
	}
	return digits[:2] + "." + digits[2:], true
}

// cudaOf is the CUDA of the installed torch: what its files say, which its name may not.
func cudaOf(t pyenv.Torch, path string) stage.Value {
	switch {
	case !t.There:
		return stage.Nothing()
	case t.Trouble != "":
		return stage.Value{State: stage.Unknown, Reason: t.Trouble, Probe: pyenv.Probe(path).ID}
	case t.CUDA == "":
		return stage.Is(none)
	}
	return stage.Is(t.CUDA)
}
