package inside

import (
	"strings"
)

// smiCall is a command line of nvidia-smi.
type smiCall struct {
	query, format string // --query-gpu and --format
	apps          string // --query-compute-apps
	id            string // -i
	list, xml     bool
	version       bool
	topology      string // "m", "p2p"
	nvlink        bool
}

func parseSMI(args []string) (smiCall, bool) {
	var c smiCall
	for i := 0; i < len(args); i++ {
		name, value, joined := strings.Cut(args[i], "=")
		next := func() string {
			if joined {
				return value
			}
			i++
			return strings.Join(args[min(i, len(args)):min(i+1, len(args))], "")
		}
		switch name {
		case "--query-gpu":
			c.query = next()
		case "--query-compute-apps":
			c.apps = next()
		case "--format":
			c.format = next()
		case "-i", "--id":
			c.id = next()
		case "-L", "--list-gpus":
			c.list = true
		case "-x", "--xml-format":
			c.xml = true
		case "--version":
			c.version = true
		case "topo":
			c.topology = "m"
		case "-p2p", "--p2p_status":
			c.topology = "p2p" + next()
		case "nvlink":
			c.nvlink = true
		case "-q", "--query", "-m", "--matrix", "-s", "--status":
		default:
			return c, false
		}
	}
	return c, true
}
