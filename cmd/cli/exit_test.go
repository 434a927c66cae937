package cli

import "testing"

func TestWorst(t *testing.T) {
	for _, c := range []struct {
		statuses []int
		want     int
	}{
		{nil, exitDone},
		{[]int{exitDone, exitChanges}, exitChanges},
		{[]int{exitChanges, exitProof}, exitProof},
		{[]int{exitUnknown, exitChanges, exitProof}, exitUnknown},
		{[]int{exitUnknown, exitError, exitChanges}, exitError},
	} {
		if got := worst(c.statuses...); got != c.want {
			t.Errorf("worst%v = %d, want %d", c.statuses, got, c.want)
		}
	}
}
