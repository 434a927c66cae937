package cli

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/pdprov/pdprov/engine/look"
	"github.com/pdprov/pdprov/engine/plan"
	"github.com/pdprov/pdprov/hcl/model"
	"github.com/pdprov/pdprov/remote/ssh"
)

// configuration says which plan files are read and with which variables.
type configuration struct {
	vars     []string
	varFiles []string
	environ  []string // of a saved plan, beside the process's own
}

func (c *configuration) add(f *pflag.FlagSet) {
	f.StringArrayVar(&c.vars, "var", nil, "set a variable of the plan, `NAME=VALUE` (repeatable)")
	f.StringArrayVar(&c.varFiles, "var-file", nil, "read variables from a `FILE` (repeatable)")
}

// narrowing leaves hosts and stages out.
type narrowing struct {
	hosts   []string
	targets []string
}

func (n *narrowing) addHosts(f *pflag.FlagSet) {
	f.StringSliceVar(&n.hosts, "limit", nil, "only this `HOST` (repeatable, or separated by commas)")
}

func (n *narrowing) addTargets(f *pflag.FlagSet) {
	f.StringArrayVar(&n.targets, "target", nil, "only the stage, for_each or module at this `ADDRESS` and what it needs (repeatable)")
}

func (n *narrowing) options() plan.Options {
	return plan.Options{Hosts: n.hosts, Targets: n.targets}
}

// connection says how hosts are reached.
type connection struct {
	config    string
	parallel  int
	timeout   time.Duration
	askSudo   bool
	acceptNew bool
}

func (c *connection) add(f *pflag.FlagSet) {
	f.StringVar(&c.config, "ssh-config", "", "read this SSH configuration `FILE` alone, as ssh -F does")
	f.Var(count{&c.parallel, 1, 1000}, "parallel", "work on at most `N` hosts at one time (default 16)")
	f.Var(span{&c.timeout, time.Second, 24 * time.Hour}, "timeout", "give up a host that stays silent for this `DURATION`, as 90s or 5m")
	f.BoolVar(&c.askSudo, "ask-sudo-pass", false, "ask once for the password of sudo; without a terminal it is the first line of the input")
	f.BoolVar(&c.acceptNew, "accept-new", false, "record the key of a host that is not known yet; a changed key is refused all the same")
}

// fleet prepares the connections to the hosts of a deployment.
func (c *connection) fleet(t *terminal, d *model.Deployment) *look.Fleet {
	o := ssh.Options{
		ConfigFile: c.config, AcceptNew: c.acceptNew, ConnectTimeout: c.timeout,
		Ask: t.passphrase(), Log: t.warn,
	}
	if c.askSudo {
		o.SudoPassword = t.sudoPassword()
	}
	return look.NewFleet(d, look.FleetOptions{SSH: o, Parallel: c.parallel})
}

// reach says which plan files are read and which of their hosts are visited.
type reach struct {
	configuration
	connection
	narrowing
	deep bool
}

// addDeep gives a command that compares the choice to look at what takes long.
func (r *reach) addDeep(f *pflag.FlagSet) {
	f.BoolVar(&r.deep, "deep", false, "read every installed file where a kind knows its hash, which takes a minute for 20 GB (venv)")
}

// add gives a command the flags of reach, but those that narrow.
func (r *reach) add(f *pflag.FlagSet, a *app) {
	r.configuration.add(f)
	r.connection.add(f)
	jsonFlag(f, &a.json)
}

// jsonFlag switches from text for people to JSON for programs.
func jsonFlag(f *pflag.FlagSet, on *bool) {
	f.BoolVar(on, "json", false, "print JSON for programs (docs/schema)")
}
