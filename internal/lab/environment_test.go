package lab

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestEnvironment(t *testing.T) {
	for _, name := range []string{"SSL_CERT_FILE", "PIP_CERT", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"} {
		t.Setenv(name, "")
	}
	t.Setenv("PIP_INDEX_URL", "https://index.example/simple")
	env := environment()
	for _, want := range []string{
		"https_proxy=http://10.77.0.1:3128", "NO_PROXY=127.0.0.1,localhost,10.77.0.0/24", "PIP_INDEX_URL=https://index.example/simple",
	} {
		if !slices.Contains(env, want) {
			t.Errorf("no %s in %q", want, env)
		}
	}
	if slices.Contains(env, "PIP_CERT="+bundlePath) {
		t.Error("a machine without certificates of its own sets PIP_CERT")
	}
	own := filepath.Join(t.TempDir(), "own.crt")
	if err := os.WriteFile(own, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PIP_CERT", own)
	if bundle() != own || !slices.Contains(environment(), "SSL_CERT_FILE="+bundlePath) {
		t.Errorf("bundle %q, environment %q", bundle(), environment())
	}
}
