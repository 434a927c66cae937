// Package proxy is the small forward proxy through which practice hosts, which have
// no route out, reach package archives. Its listener is in the lab's network, its
// connections leave from the machine's.
package proxy

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"time"
)

// Upstream chooses another proxy to go through for a request; a nil address is none.
type Upstream func(*http.Request) (*url.URL, error)

// Serve forwards requests and CONNECT tunnels that come in on l, until it closes. What is
// asked of the listener's own address, straight or as of a proxy, own answers.
func Serve(l net.Listener, upstream Upstream, own http.Handler) error {
	dialer := &net.Dialer{Timeout: 20 * time.Second}
	transport := &http.Transport{
		Proxy:               upstream,
		DialContext:         dialer.DialContext,
		TLSHandshakeTimeout: 20 * time.Second,
		IdleConnTimeout:     30 * time.Second,
		DisableCompression:  true, // the client asked for these bytes, not for others
	}
	forward := &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.Out.Host = r.In.Host },
		Transport: transport,
	}
	server := &http.Server{
		ReadHeaderTimeout: time.Minute,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.Method != http.MethodConnect && (!r.URL.IsAbs() || r.URL.Host == l.Addr().String()):
				own.ServeHTTP(w, r)
			case local(r):
				http.Error(w, "the proxy of a practice lab does not reach this machine's own loopback", http.StatusForbidden)
			case r.Method == http.MethodConnect:
				connect(w, r, dialer, upstream)
			default:
				forward.ServeHTTP(w, r)
			}
		}),
	}
	return server.Serve(l)
}

// local is true for what the client means as itself and would be this machine's own:
// a program that has the proxy in its environment may ask for its own localhost here.
func local(r *http.Request) bool {
	name := r.URL.Hostname()
	ip := net.ParseIP(name)
	return name == "localhost" || ip != nil && (ip.IsLoopback() || ip.IsUnspecified() || ip.IsLinkLocalUnicast())
}

// connect joins the client to the target, and says why when it cannot.
func connect(w http.ResponseWriter, r *http.Request, dialer *net.Dialer, upstream Upstream) {
	target, err := dialTarget(r, dialer, upstream)
	if err != nil {
		log.Printf("CONNECT %s: %v", r.Host, err)
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer target.Close()
	client, early, err := http.NewResponseController(w).Hijack()
	if err != nil {
		log.Printf("CONNECT %s: %v", r.Host, err)
		return
	}
	defer client.Close()
	if _, err := io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	join(client, early, target)
}

func dialTarget(r *http.Request, dialer *net.Dialer, upstream Upstream) (net.Conn, error) {
	proxy, err := upstream(&http.Request{URL: &url.URL{Scheme: "https", Host: r.Host}})
	if err != nil {
		return nil, fmt.Errorf("proxy settings of this machine: %w", err)
	}
	if proxy == nil {
		return dialer.DialContext(r.Context(), "tcp", r.Host)
	}
	return throughUpstream(r, dialer, proxy)
}

// join copies both ways and passes on the end of each direction by itself.
func join(client net.Conn, fromClient io.Reader, target net.Conn) {
	var both sync.WaitGroup
	one := func(dst net.Conn, src io.Reader) {
		io.Copy(dst, src)
		if half, ok := dst.(interface{ CloseWrite() error }); ok {
			half.CloseWrite()
		}
	}
	both.Go(func() { one(target, fromClient) })
	both.Go(func() { one(client, target) })
	both.Wait()
}
