package venv

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/pdprov/pdprov/internal/pyenv"
	"github.com/pdprov/pdprov/stages/stage"
)

var (
	// cudaTag finds a CUDA release in a local version ("+cu130", "+cu12torch2.8cxx11abiTRUE").
	cudaTag = regexp.MustCompile(`^cu(\d{2})\d*`)
	// torchTag finds the torch that a wheel was built against.
	torchTag = regexp.MustCompile(`torch(\d+\.\d+)`)
	// cudaIndex finds a CUDA release in the address of an index.
	cudaIndex = regexp.MustCompile(`/(?:whl/)?cu(\d{2})\d*/`)
)

// word is one thing of the lock that is made for a CUDA major.
type word struct {
	name, version, major string
	line                 int
	marked               bool
}

func (w word) String() string {
	return fmt.Sprintf("line %d: %s %s, for CUDA %s", w.line, w.name, w.version, w.major)
}

// majorOf is the CUDA major that a pin is made for, "" where nothing tells.
func majorOf(name string, p pin) string {
	_, local, _ := strings.Cut(p.version, "+")
	if m := cudaTag.FindStringSubmatch(local); m != nil {
		return m[1]
	}
	if m := pyenv.CUDAMajor(name, p.version); m != "" {
		return m
	}
	if m := cudaIndex.FindStringSubmatch(p.source); m != nil && ownIndex(name) {
		return m[1]
	}
	return ""
}

// ownIndex says whether every version of a distribution has an index of its own for each
// CUDA; other packages lie in such an index beside it and are for any.
func ownIndex(name string) bool {
	return torchFamily(name) && name != "triton" || name == "sgl-kernel" || name == "sglang-kernel" || name == "flashinfer-jit-cache"
}

// pairs says which parts of a lock do not fit together. No installer does: most of these
// wheels declare nothing of it, and fail when they are loaded.
func (w wish) pairs(file string) (found []stage.Finding) {
	torch, hasTorch := w.torch()
	add := func(severe bool, summary, detail string) {
		f := stage.Finding{Path: "lock", Summary: summary, Detail: file + ": " + detail}
		if !severe {
			f.Severity = stage.Warning // a marker may leave one of them out
		}
		found = append(found, f)
	}
	words := w.words()
	nixl := map[string]bool{}
	var others []word
	for _, x := range words {
		if strings.HasPrefix(x.name, "nixl-") {
			nixl[x.major] = true // nixl brings both, and takes the one that torch is for
			continue
		}
		others = append(others, x)
	}
	if hasTorch && torch.major != "" && len(nixl) > 0 && !nixl[torch.major] {
		add(!torch.marked, "NIXL for another CUDA", fmt.Sprintf("line %d: torch %s is for CUDA %s, and the lock has %s only; NIXL would say \"detected CUDA %s but nixl-cu%s is not installed\". Lock nixl-cu%s as well.",
			torch.line, torch.version, torch.major, "nixl-cu"+strings.Join(slices.Sorted(maps.Keys(nixl)), ", nixl-cu"), torch.major, torch.major, torch.major))
	}
	for i, x := range others {
		if i > 0 && x.major != others[0].major {
			add(!x.marked && !others[0].marked, "Two CUDA majors in one lock", fmt.Sprintf("%s; %s. Their libraries cannot be loaded into one process. Resolve the lock again for one CUDA (cuda = \"cu...\" and pdprov lock).", others[0], x))
			break
		}
	}
	return append(found, w.builtFor(file, torch, hasTorch)...)
}

// words are the parts of the lock that are made for one CUDA, torch first.
func (w wish) words() (words []word) {
	for _, name := range slices.Sorted(maps.Keys(w.lock)) {
		for _, p := range w.lock[name] {
			if m := majorOf(name, p); m != "" {
				words = append(words, word{name, p.version, m, p.line, p.marked})
			}
		}
	}
	slices.SortStableFunc(words, func(a, b word) int {
		switch {
		case (a.name == "torch") == (b.name == "torch"):
			return a.line - b.line
		case a.name == "torch":
			return -1
		}
		return 1
	})
	return words
}

// torch is the torch of the lock, with the CUDA that its tag, its index or the attribute
// cuda names.
func (w wish) torch() (word, bool) {
	pins := w.lock["torch"]
	if len(pins) != 1 {
		return word{}, false
	}
	x := word{"torch", pins[0].version, majorOf("torch", pins[0]), pins[0].line, pins[0].marked}
	if x.major == "" && strings.HasPrefix(w.cuda, "cu") {
		x.major = w.cuda[2:4]
	}
	return x, true
}

// builtFor compares the torch that wheels say they were built against with the locked one.
func (w wish) builtFor(file string, torch word, hasTorch bool) (found []stage.Finding) {
	if !hasTorch {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(w.lock)) {
		for _, p := range w.lock[name] {
			_, local, _ := strings.Cut(p.version, "+")
			m := torchTag.FindStringSubmatch(local)
			if m == nil || name == "torch" || m[1] == pyenv.Minor(torch.version) {
				continue
			}
			found = append(found, stage.Finding{Path: "lock", Summary: "Built for another torch", Detail: fmt.Sprintf(
				"%s, line %d: %s %s was built against torch %s, and line %d has torch %s. It would fail with \"undefined symbol\" when it is loaded. Take the build for torch %s.",
				file, p.line, name, p.version, m[1], torch.line, torch.version, pyenv.Minor(torch.version))})
		}
	}
	return found
}
