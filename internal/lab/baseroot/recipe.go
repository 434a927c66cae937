package baseroot

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

const suite = "bookworm"

// packages beyond debootstrap's minbase, that every practice host has.
func packages() []string {
	return strings.Fields(`
		systemd systemd-sysv dbus openssh-server sudo
		python3 python3-venv python3-pip
		iproute2 curl ca-certificates numactl procps kmod apt-utils locales
		fish tcsh busybox`)
}

// finish runs in the new root, once. It removes what must differ between hosts
// (ssh host keys, machine id), masks what slows a boot, and makes the one German
// locale that tests of foreign messages use.
const finish = `set -eu
rm -f /etc/ssh/ssh_host_* /etc/machine-id /var/lib/dbus/machine-id /etc/resolv.conf /etc/hostname
rm -rf /var/cache/apt/archives/*.deb /var/log/bootstrap.log
echo '# practice hosts have no DNS, only a proxy' > /etc/resolv.conf
for unit in apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer fstrim.timer \
  e2scrub_all.timer e2scrub_reap.service man-db.timer systemd-tmpfiles-clean.timer \
  getty.target console-getty.service systemd-networkd.service systemd-networkd.socket \
  systemd-resolved.service systemd-timesyncd.service
do
  ln -sf /dev/null /etc/systemd/system/$unit
done
cat > /etc/systemd/system/pdlab-address.service <<'END'
[Unit]
Description=Address of this practice host
DefaultDependencies=no
Before=network.target ssh.service
[Service]
Type=oneshot
RemainAfterExit=yes
EnvironmentFile=/etc/pdlab/address
ExecStart=/usr/sbin/ip address replace ${ADDRESS} dev host0
ExecStart=/usr/sbin/ip link set host0 up
[Install]
WantedBy=sysinit.target
END
mkdir -p /etc/systemd/system/sysinit.target.wants /etc/systemd/system.conf.d
ln -sf ../pdlab-address.service /etc/systemd/system/sysinit.target.wants/
printf '[Manager]\nDefaultTimeoutStopSec=15s\n' > /etc/systemd/system.conf.d/10-pdlab-stop.conf
echo force-unsafe-io > /etc/dpkg/dpkg.cfg.d/pdlab
printf 'Acquire::Languages "none";\nAPT::Install-Recommends "false";\n' > /etc/apt/apt.conf.d/50pdlab
localedef -i de_DE -f UTF-8 de_DE.UTF-8
mkdir -p /root/.ssh
chmod 0700 /root/.ssh
`

// version names the recipe: another recipe or another mirror is another cached root.
func version(sources string) string {
	sum := sha256.Sum256([]byte(suite + "\n" + strings.Join(packages(), " ") + "\n" + finish + sources))
	return hex.EncodeToString(sum[:6])
}
