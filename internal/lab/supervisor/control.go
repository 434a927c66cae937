package supervisor

import (
	"encoding/json"
	"fmt"
	"log"
	"net"

	"github.com/pdprov/pdprov/internal/lab/wire"
)

// listen opens the control socket by its relative name: the path of the lab's folder
// may be longer than a socket address can be.
func (s *supervisor) listen() error {
	l, err := net.Listen("unix", wire.ControlFile)
	if err != nil {
		return err
	}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				log.Printf("control socket: %v", err)
				return
			}
			go s.answer(conn)
		}
	}()
	return nil
}

func (s *supervisor) answer(conn net.Conn) {
	defer conn.Close()
	var request wire.Request
	if err := json.NewDecoder(conn).Decode(&request); err != nil {
		log.Printf("control request: %v", err)
		return
	}
	response, err := s.do(request)
	if err != nil {
		response.Error = err.Error()
	}
	if err := json.NewEncoder(conn).Encode(response); err != nil {
		log.Printf("answering %s: %v", request.Op, err)
	}
}

func (s *supervisor) do(r wire.Request) (wire.Response, error) {
	switch r.Op {
	case wire.OpList:
		return s.list(), nil
	case wire.OpDown:
		s.stop()
		return wire.Response{}, nil
	}
	h, err := s.host(r.Host)
	if err != nil {
		return wire.Response{}, err
	}
	return wire.Response{}, h.do(r)
}

func (s *supervisor) list() wire.Response {
	var r wire.Response
	for _, h := range s.hosts {
		r.Hosts = append(r.Hosts, h.status())
	}
	return r
}

func (h *host) do(r wire.Request) error {
	h.op.Lock()
	defer h.op.Unlock()
	switch r.Op {
	case wire.OpCut, wire.OpMend:
		return h.cable.setCut(r.Op == wire.OpCut)
	case wire.OpDelay:
		return h.cable.setDelay(r.Delay, r.Loss)
	case wire.OpOff:
		return h.powerOff()
	case wire.OpOn:
		return h.powerOn()
	case wire.OpReimage:
		return h.reimage()
	case wire.OpHang:
		return h.hang()
	}
	return fmt.Errorf("unknown operation %q", r.Op)
}
