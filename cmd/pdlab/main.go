// Command pdlab gives a person disposable hosts to try pdprov on.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/pdprov/pdprov/internal/lab"
	"github.com/pdprov/pdprov/internal/lab/gpubox/inside"
)

// command is one word of pdlab's language.
type command struct {
	name, args, about string
	hidden            bool // for pdlab itself
	run               func(*call) error
}

// call is one use of a command.
type call struct {
	flags *flag.FlagSet
	dir   string
	args  []string
}

func commands() []command {
	return []command{
		{name: "up", args: "[--hosts N] [--profile NAME] [--vm]", about: "start a lab and wait until its hosts answer", run: up},
		{name: "down", about: "end the lab and remove all of it", run: down},
		{name: "hosts", about: "list the hosts: name, address, state", run: hosts},
		{name: "ssh-config", about: "print the path of a file for ssh -F and pdprov --ssh-config", run: sshConfig},
		{name: "repository", about: "print the address of the lab's copy of NVIDIA's apt repository, and its key", run: repository},
		{name: "run", args: "CMD...", about: "run a command of this machine in the lab's network", run: run},
		{name: "exec", args: "HOST CMD...", about: "run a command inside a host, as root, without ssh (a virtual machine: with it)", run: execute},
		{name: "cut", args: "HOST", about: "take a host's network link away", run: cut},
		{name: "mend", args: "HOST", about: "give it back", run: mend},
		{name: "delay", args: "HOST TIME [LOSS%]", about: "make round trips longer by TIME (80ms) and lose packets; 0 ends it", run: delay},
		{name: "reboot", args: "HOST", about: "reboot from inside and wait until the host answers", run: reboot},
		{name: "power", args: "HOST [off|on]", about: "pull a host's plug, or put it back in", run: power},
		{name: "reimage", args: "HOST [--trust]", about: "a fresh system with another ssh host key; --trust tells known_hosts", run: reimage},
		{name: "switches", about: "list what can be set on the hosts", run: switches},
		{name: "set", args: "HOST SWITCH=VALUE", about: "set it", run: set},
		{name: "supervise", hidden: true, run: supervise},
		{name: "proxy", hidden: true, run: serveProxy},
	}
}

func main() { os.Exit(start(os.Args[1:])) }

func start(args []string) int {
	if len(args) == 0 || args[0] == "help" || args[0] == "-h" || args[0] == "--help" {
		fmt.Print(help())
		return 0
	}
	if args[0] == "box" {
		return inside.Main(args[1:])
	}
	for _, c := range commands() {
		if c.name == args[0] {
			return c.call(args[1:])
		}
	}
	fmt.Fprintf(os.Stderr, "pdlab: no command %q; pdlab help lists them\n", args[0])
	return 1
}

func (c command) call(args []string) int {
	u, err := c.parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err == nil {
		err = c.run(u)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "pdlab %s: %v\n", c.name, err)
		return 1
	}
	return 0
}

func help() string {
	var b strings.Builder
	b.WriteString(`pdlab gives you disposable Debian hosts on this machine, with a real systemd and a
real sshd, to try pdprov on. They live in a network of their own.

  pdlab up --hosts 2
  pdlab run pdprov plan --ssh-config "$(pdlab ssh-config)" hosts.hcl
  pdlab down

Commands:
`)
	for _, c := range commands() {
		if !c.hidden {
			fmt.Fprintf(&b, "  %-34s %s\n", c.name+" "+c.args, c.about)
		}
	}
	b.WriteString("\nProfiles:\n")
	for _, p := range lab.Profiles() {
		fmt.Fprintf(&b, "  %-13s %s\n", p.Name, p.About)
	}
	b.WriteString(`
Every command takes --dir DIR, the lab's folder (default: PDLAB_DIR or /var/tmp/pdlab).
It needs root, systemd-nspawn and debootstrap. With --vm the one host, h1, is a machine
that qemu emulates, for what containers share with this machine: a Debian kernel with its
headers and DKMS, kernel modules, reboots into the kernel installed last, two NUMA nodes,
a PCI device behind each, and the driver packages of pdlab repository. It is slow: up in
about half a minute, and programs take up to forty times longer. All other commands work
on it too; exec goes through ssh there, so not while the link is cut. PDLAB_ACCEL=kvm lets
qemu use KVM, where that works. PDLAB_CACHE names the folder of the base
root (default: /var/cache/pdlab), PDLAB_MIRROR the Debian archive that it is built from.
`)
	return b.String()
}
