package lab

import (
	"os"

	"github.com/pdprov/pdprov/internal/lab/wire"
)

// bundlePath is where hosts keep certificate authorities.
const bundlePath = "/etc/ssl/certs/ca-certificates.crt"

// environment is what every process of every host gets: the way out through the
// proxy, and this machine's own package index and certificate settings.
func environment() []string {
	var env []string
	add := func(value string, names ...string) {
		for _, name := range names {
			env = append(env, name+"="+value)
		}
	}
	add(wire.ProxyURL, "http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY")
	add("127.0.0.1,localhost,"+wire.Network, "no_proxy", "NO_PROXY")
	for _, name := range []string{"PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_TRUSTED_HOST", "UV_INDEX_URL", "UV_DEFAULT_INDEX"} {
		if value := os.Getenv(name); value != "" {
			add(value, name)
		}
	}
	if bundle() != "" {
		add(bundlePath, "SSL_CERT_FILE", "PIP_CERT", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
	}
	return env
}

// bundle is the file of certificate authorities that this machine's environment
// names, or "": then the hosts use Debian's.
func bundle() string {
	for _, name := range []string{"SSL_CERT_FILE", "PIP_CERT", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"} {
		path := os.Getenv(name)
		if info, err := os.Stat(path); path != "" && err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}
