package gpu

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/pdprov/pdprov/internal/record"
	"github.com/pdprov/pdprov/stages/stage"
)

// numaAnswer is what sysfs says about processors and memory.
type numaAnswer struct {
	cpus, online string // "" when it could not be read
	nodes        []Node
}

// maxCPUs is more than any Linux kernel is built for.
const maxCPUs = 1 << 14

var freeForm = regexp.MustCompile(`(?m)^Node [0-9]+ MemFree:\s+([0-9]{1,15}) kB$`)

// set is the set of numbers that a list such as "0-63,128-191" names.
func set(list string) (map[int]bool, error) {
	all := map[int]bool{}
	for _, piece := range strings.Split(strings.TrimSpace(list), ",") {
		first, last, ranged := strings.Cut(piece, "-")
		if !ranged {
			last = first
		}
		a, err := strconv.Atoi(first)
		b, err2 := strconv.Atoi(last)
		if err != nil || err2 != nil || a < 0 || b < a || b >= maxCPUs {
			return nil, fmt.Errorf("%.40q is no list of numbers", list)
		}
		for n := a; n <= b; n++ {
			all[n] = true
		}
	}
	return all, nil
}

func parseNUMA(body []byte) (numaAnswer, error) {
	var a numaAnswer
	all, err := record.Items(body)
	if err != nil {
		return a, err
	}
	var found []Node
	for _, p := range all {
		switch p.Name {
		case "cpus":
			a.cpus = p.Data
		case "nodes":
			a.online = p.Data
		case "node":
			found = append(found, nodeOf(p))
		default:
			return a, fmt.Errorf("%.40q is no part of the answer", p.Name)
		}
	}
	if _, err := set(a.cpus); err != nil {
		return a, fmt.Errorf("online processors: %w", err)
	}
	if a.online == "" {
		return a, nil
	}
	online, err := set(a.online)
	if err != nil {
		return a, fmt.Errorf("online nodes: %w", err)
	}
	for _, n := range found {
		if id, err := strconv.Atoi(n.ID); err == nil && online[id] {
			a.nodes = append(a.nodes, n)
		}
	}
	if len(a.nodes) != len(online) {
		return a, fmt.Errorf("nodes %.40q are online and %d of them are there", a.online, len(a.nodes))
	}
	return a, nil
}

func nodeOf(p record.Item) Node {
	n := Node{ID: p.Data, CPUs: unknown(numaID, "cpulist of node "+short(p.Data)+" could not be read"), FreeKiB: unknown(numaID, "the free memory of node "+short(p.Data)+" could not be read")}
	// A node with memory alone has an empty list.
	if _, err := set(p.Fields["cpulist"]); err == nil {
		n.CPUs = stage.Is(p.Fields["cpulist"])
	} else if list, ok := p.Fields["cpulist"]; ok && list == "" {
		n.CPUs = stage.Nothing()
	}
	if m := freeForm.FindStringSubmatch(p.Fields["meminfo"]); m != nil {
		n.FreeKiB = stage.Is(m[1])
	}
	return n
}

// place finds a GPU's node. sysfs says -1 in virtual machines and where firmware keeps
// silent: then its processors tell, unless they are all of the host's.
func (a numaAnswer) place(d device) stage.Value {
	text, ok := d.fields["numa_node"]
	switch {
	case !ok:
		return d.value("numa_node")
	case text != "-1":
		for _, n := range a.nodes {
			if n.ID == text {
				return stage.Is(text)
			}
		}
		return unknown(pciID, fmt.Sprintf("sysfs puts %s on NUMA node %q, which is not online", d.address, short(text)))
	}
	own, err := set(d.fields["local_cpulist"])
	if err != nil {
		return unknown(pciID, "sysfs tells neither the NUMA node nor the processors of "+d.address)
	}
	if cpus, err := set(a.cpus); err == nil && equal(own, cpus) {
		return unknown(pciID, "sysfs says -1 for the NUMA node of "+d.address+", and all processors of the host are its own")
	}
	for _, n := range a.nodes {
		if cpus, err := set(n.CPUs.Text); err == nil && equal(own, cpus) {
			return stage.Is(n.ID)
		}
	}
	return unknown(pciID, fmt.Sprintf("sysfs says -1 for the NUMA node of %s, and no node has its processors %s", d.address, short(d.fields["local_cpulist"])))
}

func equal(a, b map[int]bool) bool {
	if len(a) != len(b) {
		return false
	}
	for n := range a {
		if !b[n] {
			return false
		}
	}
	return true
}

// cpusOf are the processors of a node.
func (a numaAnswer) cpusOf(node stage.Value) stage.Value {
	if node.State != stage.Present {
		return node
	}
	for _, n := range a.nodes {
		if n.ID == node.Text {
			return n.CPUs
		}
	}
	return unknown(numaID, "nothing is known of NUMA node "+node.Text)
}
