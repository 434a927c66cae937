package lab

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/pdprov/pdprov/internal/lab/wire"
)

// ask sends one request to the supervisor. The socket is reached through the folder's
// descriptor, because its path may be longer than a socket address can be.
func (l *Lab) ask(r wire.Request) (wire.Response, error) {
	dir, err := os.Open(l.dir)
	if err != nil {
		return wire.Response{}, err
	}
	defer dir.Close()
	conn, err := net.Dial("unix", fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), wire.ControlFile))
	if err != nil {
		return wire.Response{}, fmt.Errorf("the supervisor of the lab in %s: %w", l.dir, err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(time.Minute))
	if err := json.NewEncoder(conn).Encode(r); err != nil {
		return wire.Response{}, err
	}
	var answer wire.Response
	if err := json.NewDecoder(conn).Decode(&answer); err != nil {
		return answer, fmt.Errorf("the supervisor of the lab in %s did not answer %s: %w", l.dir, r.Op, err)
	}
	if answer.Error != "" {
		return answer, errors.New(answer.Error)
	}
	return answer, nil
}
