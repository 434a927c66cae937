package main

import (
	"fmt"
	"os"
	"strings"
)

// writeSixty writes 60 stages, one question each, and what the hand-written program
// has to know of them.
func writeSixty(plan, spec string) error {
	var p, s strings.Builder
	p.WriteString("host \"h1\" {}\n")
	for i := range 36 {
		fmt.Fprintf(&p, "stage \"file\" \"f%d\" {\n  path    = \"/etc/bench/f%d\"\n  content = \"value %d\\n\"\n}\n", i, i, i)
		fmt.Fprintf(&s, "file /etc/bench/f%d value %d\n", i, i)
	}
	for _, name := range []string{"bash", "coreutils", "curl", "dpkg", "apt", "sudo", "procps", "kmod", "numactl", "grep", "sed", "tar"} {
		fmt.Fprintf(&p, "stage \"package\" %q {\n  packages = { %s = \"*\" }\n}\n", name, name)
		fmt.Fprintf(&s, "package %s\n", name)
	}
	// Keys of the network namespace: a lab host must not change its machine.
	for i, key := range []string{"net.ipv4.tcp_keepalive_time", "net.ipv4.tcp_keepalive_intvl", "net.ipv4.tcp_fin_timeout", "net.ipv4.tcp_syn_retries", "net.ipv4.ip_forward", "net.core.somaxconn"} {
		value := []string{"600", "30", "30", "5", "1", "8192"}[i]
		fmt.Fprintf(&p, "stage \"sysctl\" \"s%d\" {\n  values = { %q = %q }\n}\n", i, key, value)
		fmt.Fprintf(&s, "sysctl %s %s\n", key, value)
	}
	for i := range 6 {
		fmt.Fprintf(&p, "stage \"unit\" \"u%d\" {\n  name    = \"bench%d.service\"\n  content = \"[Service]\\nExecStart=/bin/sleep infinity\\n[Install]\\nWantedBy=multi-user.target\\n\"\n  enabled = true\n  running = true\n}\n", i, i)
		fmt.Fprintf(&s, "unit bench%d.service\n", i)
	}
	return write(plan, p.String(), spec, s.String())
}

// writeTen writes the same ten things as a plan and as a playbook.
func writeTen(plan, book string) error {
	var p, b strings.Builder
	p.WriteString("host \"h1\" {}\nstage \"package\" \"base\" {\n  packages = { curl = \"*\", sudo = \"*\" }\n}\n")
	b.WriteString("- hosts: all\n  tasks:\n  - apt: {name: [curl, sudo], state: present}\n")
	for i := range 7 {
		fmt.Fprintf(&p, "stage \"file\" \"f%d\" {\n  path    = \"/etc/ten-f%d\"\n  content = \"value %d\\n\"\n}\n", i, i, i)
		fmt.Fprintf(&b, "  - copy: {dest: /etc/ten-f%d, content: \"value %d\\n\", owner: root, group: root, mode: '0644'}\n", i, i)
	}
	p.WriteString("stage \"command\" \"mark\" {\n  check = \"test -e /var/lib/ten-mark\"\n  apply = \"touch /var/lib/ten-mark\"\n}\n")
	b.WriteString("  - command: {cmd: touch /var/lib/ten-mark, creates: /var/lib/ten-mark}\n")
	p.WriteString("stage \"unit\" \"cron\" {\n  name    = \"ssh.service\"\n  enabled = true\n  running = true\n}\n")
	b.WriteString("  - systemd: {name: ssh.service, enabled: true, state: started}\n")
	return write(plan, p.String(), book, b.String())
}

func write(name, text, name2, text2 string) error {
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		return err
	}
	return os.WriteFile(name2, []byte(text2), 0o600)
}
