package venv

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdprov/pdprov/stages/stage"
)

// told is what Validate says of a requirements lock with these pins.
func told(values map[string]any, pins ...string) (said []string) {
	var text strings.Builder
	for _, p := range pins {
		text.WriteString(p + " " + hash + "\n")
	}
	all := map[string]any{"path": "/opt/x", "lock": stage.LocalData{Path: "req.lock", Data: []byte(text.String())}}
	for k, v := range values {
		all[k] = v
	}
	for _, f := range (Kind{}).Validate(stage.Instance{Config: stage.Config{Values: all}}) {
		said = append(said, fmt.Sprintf("%d %s: %s", f.Severity, f.Path, f.Detail))
	}
	return said
}

// TestWhatDoesNotFitTogether: what no resolver refuses and every start would.
func TestWhatDoesNotFitTogether(t *testing.T) {
	cu130 := map[string]any{"cuda": "cu130"}
	for _, c := range []struct {
		why    string
		values map[string]any
		pins   []string
		want   string // "" where nothing is wrong
	}{
		{"one CUDA", cu130, []string{"torch==2.11.0+cu130", "nixl-cu13==1.3.0", "nvidia-cublas==13.0.0.19", "nvidia-cudnn-cu13==9.13", "flash-attn==2.8.3+cu13torch2.11"}, ""},
		{"nixl brings both", cu130, []string{"torch==2.11.0+cu130", "nixl-cu12==1.3.0", "nixl-cu13==1.3.0"}, ""},
		{"nixl for 12 alone", nil, []string{"torch==2.11.0+cu130", "nixl-cu12==1.3.0"}, `detected CUDA 13 but nixl-cu13 is not installed`},
		{"nixl and the attribute", cu130, []string{"nixl-cu12==1.3.0", "torch==2.11.0+cu130"}, `line 2: torch 2.11.0+cu130 is for CUDA 13, and the lock has nixl-cu12 only`},
		{"libraries of two CUDAs", nil, []string{"nvidia-cublas==13.0.0.19", "nvidia-cudnn-cu12==9.10"}, "line 1: nvidia-cublas 13.0.0.19, for CUDA 13; line 2: nvidia-cudnn-cu12 9.10, for CUDA 12. Their libraries cannot be loaded into one process."},
		{"torchvision", nil, []string{"torchvision==0.26+cu128", "torch==2.11.0+cu130"}, "line 2: torch 2.11.0+cu130, for CUDA 13; line 1: torchvision 0.26+cu128, for CUDA 12"},
		{"sgl-kernel", nil, []string{"torch==2.11.0+cu130", "sgl-kernel==0.3.9+cu124"}, "line 2: sgl-kernel 0.3.9+cu124, for CUDA 12"},
		{"flash-attn for another CUDA", nil, []string{"torch==2.11.0+cu130", "flash-attn==2.8.3+cu12torch2.11cxx11abiTRUE"}, "flash-attn 2.8.3+cu12torch2.11cxx11abiTRUE, for CUDA 12"},
		{"flash-attn for another torch", nil, []string{"torch==2.9.1+cu128", "flash-attn==2.8.3+cu12torch2.8cxx11abiTRUE"}, "line 2: flash-attn 2.8.3+cu12torch2.8cxx11abiTRUE was built against torch 2.8, and line 1 has torch 2.9.1+cu128"},
		{"torch without a tag", cu130, []string{"torch==2.11.0"}, "req.lock, line 1: torch==2.11.0 names no CUDA"},
		{"torch of the CPU on a GPU host", cu130, []string{"torch==2.11.0+cpu"}, `torch==2.11.0+cpu is not the build for cuda = "cu130"`},
		{"torch of another index", map[string]any{"cuda": "cu128"}, []string{"torch==2.11.0+cu130"}, `torch==2.11.0+cu130 is not the build for cuda = "cu128"`},
		{"a mirror of nothing", map[string]any{"torch_index_url": "https://x"}, []string{"a==1"}, "say which with cuda"},
		{"no torch at all", cu130, []string{"numpy==2.3"}, ""},
	} {
		said := told(c.values, c.pins...)
		if c.want == "" && len(said) > 0 || c.want != "" && (len(said) != 1 || !strings.Contains(said[0], c.want)) {
			t.Errorf("%s: said %q, want %q", c.why, said, c.want)
		}
	}
}

// TestMarkedLinesAreOnlyWarnedOf: the installer may leave them out.
func TestMarkedLinesAreOnlyWarnedOf(t *testing.T) {
	said := told(nil, "torch==2.11.0+cu130", "nvidia-cudnn-cu12==9.10 ; sys_platform == 'win32'")
	if len(said) != 1 || !strings.HasPrefix(said[0], fmt.Sprint(int(stage.Warning))) {
		t.Errorf("%q", said)
	}
}
