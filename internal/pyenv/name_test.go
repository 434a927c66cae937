package pyenv

import "testing"

func TestSameVersion(t *testing.T) {
	for _, v := range [][2]string{{"1.0", "1"}, {"1.0.0", "1.0"}, {"V1.0RC1", "1.0rc1"}, {"1.0+CU_12", "1.0+cu.12"}} {
		if !SameVersion(v[0], v[1]) {
			t.Errorf("%v differ", v)
		}
	}
	for _, v := range [][2]string{{"1.0", "1.0+cu128"}, {"1.10", "1.1"}, {"10", "1"}} {
		if SameVersion(v[0], v[1]) {
			t.Errorf("%v are the same", v)
		}
	}
}
