package proxy

import (
	"bufio"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"
)

// throughUpstream asks another proxy for the tunnel.
func throughUpstream(r *http.Request, dialer *net.Dialer, upstream *url.URL) (net.Conn, error) {
	conn, err := dialUpstream(r, dialer, upstream)
	if err != nil {
		return nil, fmt.Errorf("this machine's proxy %s: %w", upstream.Redacted(), err)
	}
	if err := askTunnel(conn, r.Host, upstream.User); err != nil {
		conn.Close()
		return nil, fmt.Errorf("this machine's proxy %s: %w", upstream.Redacted(), err)
	}
	return conn, nil
}

func dialUpstream(r *http.Request, dialer *net.Dialer, upstream *url.URL) (net.Conn, error) {
	port := upstream.Port()
	switch {
	case upstream.Scheme != "http" && upstream.Scheme != "https":
		return nil, fmt.Errorf("%s proxies are not supported", upstream.Scheme)
	case port == "" && upstream.Scheme == "https":
		port = "443"
	case port == "":
		port = "80"
	}
	addr := net.JoinHostPort(upstream.Hostname(), port)
	if upstream.Scheme == "https" {
		return (&tls.Dialer{NetDialer: dialer}).DialContext(r.Context(), "tcp", addr)
	}
	return dialer.DialContext(r.Context(), "tcp", addr)
}

// askTunnel reads the answer with a one-byte buffer: what follows it is the tunnel's.
func askTunnel(conn net.Conn, target string, user *url.Userinfo) error {
	request := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: target}, Host: target, Header: http.Header{}}
	if user != nil {
		password, _ := user.Password()
		token := base64.StdEncoding.EncodeToString([]byte(user.Username() + ":" + password))
		request.Header.Set("Proxy-Authorization", "Basic "+token)
	}
	conn.SetDeadline(time.Now().Add(30 * time.Second))
	defer conn.SetDeadline(time.Time{})
	if err := request.Write(conn); err != nil {
		return err
	}
	answer, err := http.ReadResponse(bufio.NewReader(oneByte{conn}), request)
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("CONNECT %s: %s", target, answer.Status)
	}
	return nil
}

// oneByte keeps a bufio.Reader from reading ahead.
type oneByte struct{ net.Conn }

func (o oneByte) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	return o.Conn.Read(p[:1])
}
