package stage

import "testing"

func TestHide(t *testing.T) {
	c := Config{
		Values: map[string]any{"env": map[string]string{"A": "hunter2", "B": "hunter2hunter", "C": "x\nlonger line\n"}, "apply": "echo shown"},
		Secret: map[string]bool{"env": true},
	}
	got := c.Hide("echo shown hunter2 and hunter2hunter, x, longer line")
	if want := "echo shown (sensitive) and (sensitive), x, (sensitive)"; got != want {
		t.Errorf("%q", got)
	}
}
