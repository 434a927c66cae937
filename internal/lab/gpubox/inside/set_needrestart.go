package inside

import (
	"errors"
	"os"
)

const asks = `#!/bin/sh
# Stands for needrestart's hook: asks unless it is told not to.
case "${NEEDRESTART_MODE:-i}:${DEBIAN_FRONTEND:-}" in
a:*|l:*|*:noninteractive) exit 0 ;;
esac
printf 'Daemons using outdated libraries\n--------------------------------\n\n  1. dbus.service  2. ssh.service\n\nWhich services should be restarted? '
if [ -t 0 ]
then
  read -r answer
else
  exec sleep infinity
fi
`

func setNeedrestart(value string) error {
	const hook, config = "/usr/lib/needrestart/apt-pinvoke", "/etc/apt/apt.conf.d/99needrestart"
	if value == "none" {
		return errors.Join(remember(config, ""), remember(hook, ""))
	}
	return errors.Join(write(hook, asks), os.Chmod(hook, 0o755),
		write(config, "DPkg::Post-Invoke {\"test -x "+hook+" && "+hook+" || true\"; };\n"))
}
