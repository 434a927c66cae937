package inside

import (
	"errors"
	"os/exec"

	"github.com/pdprov/pdprov/internal/lab/gpubox"
)

func nextKernel() string { return gpubox.NextKernel(release()) }

// setSSHDelay lets sshd start late.
func setSSHDelay(value string) error {
	const file = "/etc/systemd/system/ssh.service.d/10-pdlab-delay.conf"
	text := ""
	if value != "0" {
		text = "[Service]\nExecStartPre=/bin/sleep " + value + "\nTimeoutStartSec=infinity\n"
	}
	return errors.Join(remember(file, text), must("systemctl", "daemon-reload"))
}

// setShutdownDelay makes a unit that is slow to stop and that ssh must wait for: what
// started first stops last.
func setShutdownDelay(value string) error {
	const unit, file = "pdlab-slow-stop.service", "/etc/systemd/system/pdlab-slow-stop.service"
	_ = exec.Command("systemctl", "kill", "--signal=KILL", unit).Run() // its stop would be slow
	text := ""
	if value != "0" {
		text = "[Unit]\nDescription=Something that is slow to stop\nAfter=ssh.service systemd-user-sessions.service\n\n" +
			"[Service]\nType=simple\nExecStart=/bin/sleep infinity\nExecStop=/bin/sleep " + value + "\nTimeoutStopSec=infinity\n\n" +
			"[Install]\nWantedBy=multi-user.target\n"
	}
	if err := errors.Join(remember(file, text), must("systemctl", "daemon-reload")); err != nil || value == "0" {
		return err
	}
	return must("systemctl", "enable", "--quiet", "--now", unit)
}

// setReboot lets an order to reboot be taken and lead to nothing; that the host does not
// come back is its supervisor's doing.
func setReboot(value string) error {
	const file = "/etc/systemd/system/reboot.target"
	text := ""
	if value == "ignored" {
		text = "[Unit]\nDescription=A reboot that does not happen\nAllowIsolate=yes\n"
	}
	return errors.Join(remember(file, text), must("systemctl", "daemon-reload"))
}
