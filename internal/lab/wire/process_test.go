package wire

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

func TestAlive(t *testing.T) {
	self, err := FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if !self.Alive() {
		t.Error("this process counts as dead")
	}
	if again := (Process{Pid: self.Pid, Start: self.Start + 1}); again.Alive() {
		t.Error("a pid that was used again counts as the old process")
	}
	if (Process{}).Alive() {
		t.Error("no process counts as alive")
	}
}

// A zombie that nobody has waited for yet has ended.
func TestZombieIsNotAlive(t *testing.T) {
	cmd := exec.Command("sleep", "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	p, err := FindProcess(cmd.Process.Pid)
	if err != nil || !p.Alive() {
		t.Fatalf("%+v, %v", p, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); p.Alive(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("a killed process is still alive")
		}
	}
}
