package dnf

import "testing"

func TestLocksAreRead(t *testing.T) {
	for text, want := range map[string]Lock{
		"nvidia-driver-cuda-3:580.95.05-1.el9.*": {Name: "nvidia-driver-cuda", Version: "580.95.05"},
		"nvidia-driver-cuda-580.95.05-1.el9":     {Name: "nvidia-driver-cuda", Version: "580.95.05"},
		"nvidia-driver-3:580.*-*.*":              {Name: "nvidia-driver", Version: "580.*"},
		"nvidia-driver-cuda":                     {Name: "nvidia-driver-cuda"},
		"bash":                                   {Name: "bash"},
	} {
		want.Text = text
		if got := lockOf(text); got != want {
			t.Errorf("%s: %+v", text, got)
		}
	}
	_, locks := tomlLocks("version = \"1.0\"\n[[packages]]\nname = \"nvidia-open\"\n[[packages.conditions]]\nkey = \"evr\"\ncomparator = \"=\"\nvalue = \"3:580.95.05-1.fc42\"\n" +
		"[[packages]]\nname = \"bash\"\n[[packages.conditions]]\nkey = \"evr\"\ncomparator = \">=\"\nvalue = \"5\"\n")
	if len(locks) != 2 || locks[0].Name != "nvidia-open" || locks[0].Version != "580.95.05" || locks[1] != (Lock{Name: "bash", Text: "bash"}) {
		t.Errorf("dnf 5: %+v", locks)
	}
}
