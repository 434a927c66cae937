// Command bench measures, in one run and in pairs: a no-change plan of 60 stages on
// one lab host beside a hand-written program that reads the same, and a no-change
// plan of 10 stages beside ansible-playbook doing the same 10 tasks. It prints
// medians and ratios. Usage: bench BIN, where BIN holds pdprov and pdlab.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

func main() {
	runs := flag.Int("n", 11, "counted runs of each command")
	flag.Parse()
	bin, err := filepath.Abs(flag.Arg(0))
	if err == nil {
		err = bench(bin, *runs)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func bench(bin string, runs int) error {
	dir, err := os.MkdirTemp("/var/tmp", "pdprov-bench.")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	l := labHost{bin: bin, dir: filepath.Join(dir, "lab")}
	if err := l.up(); err != nil {
		return err
	}
	defer l.do("down")
	if err := sixty(l, dir, runs); err != nil {
		return err
	}
	return ten(l, dir, min(runs, 5))
}

// sixty measures the no-change plan of 60 stages beside the hand-written program.
func sixty(l labHost, dir string, runs int) error {
	plan, spec := filepath.Join(dir, "sixty.hcl"), filepath.Join(dir, "sixty.spec")
	if err := writeSixty(plan, spec); err != nil {
		return err
	}
	if err := l.run(l.pdprov("apply", "--auto-approve", plan)...); err != nil {
		return err
	}
	hand := filepath.Join(dir, "handwritten")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", hand, "github.com/pdprov/pdprov/internal/bench/handwritten")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	addr, key, known, err := l.dialling()
	if err != nil {
		return err
	}
	a, b, err := pairs(runs,
		l.command(l.pdprov("plan", "--detailed-exitcode", plan)...),
		l.command(hand, addr, key, known, spec))
	if err != nil {
		return err
	}
	report("no-change plan of 60 stages, one host", "pdprov plan", a, "hand-written program", b)
	return nil
}

// ten measures the no-change plan of 10 stages beside ansible-playbook.
func ten(l labHost, dir string, runs int) error {
	if _, err := exec.LookPath("ansible-playbook"); err != nil {
		fmt.Println("ansible-playbook is not installed (apt-get install ansible-core): that pair was not measured")
		return nil
	}
	plan, book := filepath.Join(dir, "ten.hcl"), filepath.Join(dir, "ten.yml")
	if err := writeTen(plan, book); err != nil {
		return err
	}
	if err := l.run(l.pdprov("apply", "--auto-approve", plan)...); err != nil {
		return err
	}
	ansible, err := l.ansible(dir, book)
	if err != nil {
		return err
	}
	b, a, err := pairs(runs, ansible, l.command(l.pdprov("plan", "--detailed-exitcode", plan)...))
	if err != nil {
		return err
	}
	report("10 tasks with nothing to change, one host", "ansible-playbook (pipelining, ControlPersist, warm)", b, "pdprov plan", a)
	return nil
}

// sample is one run of a command.
type sample struct {
	wall time.Duration
	rss  int64 // bytes, of the largest process
}

// pairs runs two commands in turn after one warm-up each.
func pairs(runs int, one, two func() *exec.Cmd) (a, b []sample, err error) {
	for i := range runs + 1 {
		x, err := measure(one())
		if err != nil {
			return nil, nil, err
		}
		y, err := measure(two())
		if err != nil {
			return nil, nil, err
		}
		if i > 0 {
			a, b = append(a, x), append(b, y)
		}
	}
	return a, b, nil
}

func measure(cmd *exec.Cmd) (sample, error) {
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	began := time.Now()
	err := cmd.Run()
	s := sample{wall: time.Since(began)}
	if err != nil {
		return s, fmt.Errorf("%v: %w\n%s", cmd.Args, err, out.String())
	}
	s.rss = cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
	return s, nil
}

func report(what, nameA string, a []sample, nameB string, b []sample) {
	fmt.Printf("%s, %d pairs\n", what, len(a))
	for _, row := range []struct {
		name string
		s    []sample
	}{{nameA, a}, {nameB, b}} {
		lo, mid, hi := spread(row.s)
		fmt.Printf("  %-52s median %7.1f ms (%.1f to %.1f), peak memory %5.1f MB\n", row.name, ms(mid), ms(lo), ms(hi), peak(row.s))
	}
	ratios := make([]float64, len(a))
	for i := range a {
		ratios[i] = float64(a[i].wall) / float64(b[i].wall)
	}
	slices.Sort(ratios)
	fmt.Printf("  ratio %s / %s, pair by pair: median %.2f (%.2f to %.2f)\n", nameA, nameB, ratios[len(ratios)/2], ratios[0], ratios[len(ratios)-1])
}

func spread(s []sample) (lo, mid, hi time.Duration) {
	walls := make([]time.Duration, len(s))
	for i := range s {
		walls[i] = s[i].wall
	}
	slices.Sort(walls)
	return walls[0], walls[len(walls)/2], walls[len(walls)-1]
}

func peak(s []sample) float64 {
	var top int64
	for _, x := range s {
		top = max(top, x.rss)
	}
	return float64(top) / 1e6
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
