package nixl

import (
	"fmt"
	"maps"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdprov/pdprov/internal/hostfile"
	"github.com/pdprov/pdprov/stages/stage"
)

var (
	variableForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	uuidForm     = regexp.MustCompile(`^GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	gateForm     = regexp.MustCompile(`^(peer\.)?(dram|vram)\.(write|read)$`)
)

// Validate refuses what could only fail on the host.
func (Kind) Validate(in stage.Instance) []stage.Finding {
	c := in.Config
	var found []stage.Finding
	add := func(path, summary, detail string) {
		found = append(found, stage.Finding{Path: path, Summary: summary, Detail: detail})
	}
	if c.Has("env_file") {
		if why := hostfile.BadPath(c.Text("env_file")); why != "" {
			add("env_file", "Not a usable path", why)
		}
	}
	for i, m := range c.List("memory") {
		if m != dram && m != vram {
			add(fmt.Sprintf("memory[%d]", i), "No such kind of memory", fmt.Sprintf("%q is neither dram nor vram.", m))
		}
	}
	if c.Has("memory") && len(c.List("memory")) == 0 {
		add("memory", "No memory to move", `Name "dram", "vram" or both, or leave memory away.`)
	}
	if _, ok := parseSize(c.Text("size")); !ok {
		add("size", "Not a size", fmt.Sprintf(`%q is none: write a whole number and a unit, such as "64MiB" or "1GiB", up to 64GiB.`, c.Text("size")))
	}
	if n := c.Number("repeats"); n < 1 || n > 1e6 || n != float64(int(n)) {
		add("repeats", "Not a number of transfers", "repeats is a whole number from 1 to 1000000.")
	}
	for i, p := range c.List("gpu_pairs") {
		if ids := strings.Fields(p); len(ids) != 2 || !uuidForm.MatchString(ids[0]) || !uuidForm.MatchString(ids[1]) {
			add(fmt.Sprintf("gpu_pairs[%d]", i), "Not a pair of GPUs", fmt.Sprintf("%q is none: write two UUIDs with a space between, as nvidia-smi -L and pdprov facts show them. An index may mean another GPU after the next boot.", p))
		}
	}
	for _, name := range []string{"stall", "timeout"} {
		if d, err := time.ParseDuration(c.Text(name)); err != nil || d < time.Second || d > 24*time.Hour {
			add(name, "Not a duration", fmt.Sprintf(`%s is %q; write a number and a unit, such as "30s" or "5m", from 1s to 24h.`, name, c.Text(name)))
		}
	}
	if a := c.Text("address"); c.Has("address") && !addressForm(a) {
		add("address", "Not an IP address", fmt.Sprintf("%q is none. A name could mean another interface on each host.", a))
	}
	if p := c.Number("port"); p < 1 || p > 65535 || p != float64(int(p)) {
		add("port", "Not a port", "port is a whole number from 1 to 65535.")
	}
	if r, ok := in.Refs[c.Text("peer")]; ok && r.Config.Text("address") == "" {
		add("peer", "The peer has no address", fmt.Sprintf("%s says nothing of address, so nobody can connect to its host. Set address there to the IP address of its host in the network that carries the KV cache.", c.Text("peer")))
	}
	found = append(found, gateFindings(c.Map("min_gbps"))...)
	return append(found, envFindings(c.Map("env"))...)
}

func addressForm(text string) bool { _, err := netip.ParseAddr(text); return err == nil }

func gateFindings(gates map[string]string) (found []stage.Finding) {
	for _, name := range slices.Sorted(maps.Keys(gates)) {
		path := fmt.Sprintf("min_gbps[%q]", name)
		if !gateForm.MatchString(name) {
			found = append(found, stage.Finding{Path: path, Summary: "No such transfer", Detail: fmt.Sprintf("%q is none of dram.write, dram.read, vram.write and vram.read, nor one of them with peer. before it.", name)})
		}
		if n, err := strconv.ParseFloat(gates[name], 64); err != nil || !(n >= 0 && n < 1e6) {
			found = append(found, stage.Finding{Path: path, Summary: "Not a rate", Detail: fmt.Sprintf("%q is no number of GB/s.", gates[name])})
		}
	}
	return found
}

// local are transports of UCX that do not tell when a peer is lost, so that NIXL takes
// none of them without another.
var local = []string{"sm", "shm", "self", "posix", "sysv", "xpmem", "cma", "knem", "mm", "cuda", "cuda_copy", "cuda_ipc", "gdr_copy"}

func envFindings(env map[string]string) (found []stage.Finding) {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		path := fmt.Sprintf("env[%q]", name)
		if !variableForm.MatchString(name) || strings.HasPrefix(name, "PDPROV_") {
			found = append(found, stage.Finding{Path: path, Summary: "Not the name of a variable", Detail: fmt.Sprintf("%q cannot be exported: letters, digits and underscores, no digit first, and not PDPROV_, which pdprov uses itself.", name)})
		}
		if strings.ContainsAny(env[name], "\n\r\x00") {
			found = append(found, stage.Finding{Path: path, Summary: "More than one line", Detail: "A variable in a file for systemd is one line."})
		}
	}
	tls, set := env["UCX_TLS"]
	if set && !strings.HasPrefix(tls, "^") && !slices.ContainsFunc(strings.Split(tls, ","), func(t string) bool { return !slices.Contains(local, strings.TrimSpace(t)) }) {
		found = append(found, stage.Finding{
			Path: `env["UCX_TLS"]`, Summary: "UCX_TLS without a transport for NIXL",
			Detail: fmt.Sprintf("UCX_TLS is %q, and NIXL needs a transport that tells when a peer is lost: UCX says \"no active messages transport\" and NIXL NIXL_ERR_BACKEND. Add tcp (or rc where there is RDMA): \"cuda_copy,cuda_ipc,sm,tcp,self\".", tls),
		})
	}
	return found
}
