package stage

import "testing"

func TestConceal(t *testing.T) {
	c := Config{
		Values: map[string]any{"env": map[string]string{"A": "hunter2", "B": "hunter2hunter", "C": "x\nlonger line\n"}, "apply": "echo shown"},
		Secret: map[string]bool{"env": true},
	}
	got := Conceal("echo shown hunter2 and hunter2hunter, x, longer line", c.Secrets())
	if want := "echo shown (sensitive) and (sensitive), x, (sensitive)"; got != want {
		t.Errorf("%q", got)
	}
}
