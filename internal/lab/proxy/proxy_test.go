package proxy

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
)

func start(t *testing.T) *http.Client {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go Serve(l, func(*http.Request) (*url.URL, error) { return nil, nil }, http.NotFoundHandler())
	transport := &http.Transport{
		Proxy:           http.ProxyURL(&url.URL{Scheme: "http", Host: l.Addr().String()}),
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, // a test server's own certificate
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// The proxy must not be a way from a host to this machine's own services.
func TestLoopbackIsRefused(t *testing.T) {
	reached := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the request came through") })
	plain := httptest.NewServer(reached)
	defer plain.Close()
	secure := httptest.NewTLSServer(reached)
	defer secure.Close()
	client := start(t)

	answer, err := client.Get(plain.URL)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusForbidden {
		t.Errorf("GET: %s", answer.Status)
	}
	if answer, err := client.Get(secure.URL); err == nil {
		t.Errorf("CONNECT: %s", answer.Status)
	}
}

// ownAddress is one of this machine's addresses that is not loopback.
func ownAddress(t *testing.T) string {
	t.Helper()
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addrs {
		ip, ok := a.(*net.IPNet)
		if ok && ip.IP.To4() != nil && !ip.IP.IsLoopback() && !ip.IP.IsLinkLocalUnicast() {
			return ip.IP.String()
		}
	}
	t.Skip("this machine has no address but loopback")
	return ""
}

// serve starts a server on an address that the proxy may reach.
func serve(t *testing.T, h http.Handler) *httptest.Server {
	t.Helper()
	l, err := net.Listen("tcp", net.JoinHostPort(ownAddress(t), "0"))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(h)
	server.Listener.Close()
	server.Listener = l
	t.Cleanup(server.Close)
	return server
}

func TestForward(t *testing.T) {
	echo := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.Method+" "+r.URL.RequestURI())
	})
	plain, secure := serve(t, echo), serve(t, echo)
	plain.Start()
	secure.StartTLS()
	client := start(t)
	for _, base := range []string{plain.URL, secure.URL} {
		answer, err := client.Get(base + "/a%20b?c=d")
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if string(body) != "GET /a%20b?c=d" {
			t.Errorf("%s: %q", base, body)
		}
	}
}

// A tunnel through another proxy must not swallow what the target says first.
func TestUpstream(t *testing.T) {
	upstream := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		user := r.Header.Get("Proxy-Authorization")
		io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n"+r.Method+" "+r.Host+" "+user)
	}))
	upstream.Start()
	address, err := url.Parse(upstream.URL)
	if err != nil {
		t.Fatal(err)
	}
	address.User = url.UserPassword("u", "p")
	request := httptest.NewRequest(http.MethodConnect, "http://target.example:443", nil)
	request.Host = "target.example:443"
	conn, err := throughUpstream(request, &net.Dialer{}, address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	said, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	if string(said) != "CONNECT target.example:443 Basic dTpw" {
		t.Errorf("%q", said)
	}
}
