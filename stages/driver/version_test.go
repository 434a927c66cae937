package driver

import "testing"

func TestNewer(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"580.126.09", "580.95.05", true},
		{"580.95.05", "580.126.09", false},
		{"580.95.05", "580.95.05", false},
		{"580.95.05", "580.95.5", false},
		{"580.95.5", "580.95.05", false},
		{"595.58.03", "580.126.09", true},
		{"6.8.0-100-generic", "6.8.0-79-generic", true},
		{"6.1.0-9-amd64", "6.1.0-10-amd64", false},
		{"6.1.0-10-cloud-amd64", "6.1.0-10-amd64", true},
		{"", "1", false},
	} {
		if got := newer(c.a, c.b); got != c.want {
			t.Errorf("newer(%q, %q) is %v", c.a, c.b, got)
		}
	}
}

func TestUpstream(t *testing.T) {
	for in, want := range map[string]string{
		"580.95.05-1": "580.95.05", "1:580.95.05-0ubuntu1": "580.95.05", "580.95.05": "580.95.05", "580-1": "580", "6.8.0-79.79+1": "6.8.0",
	} {
		if got := upstream(in); got != want {
			t.Errorf("%s: %s", in, got)
		}
	}
}
