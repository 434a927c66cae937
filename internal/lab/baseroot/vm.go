package baseroot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/pdprov/pdprov/internal/lab/tree"
)

// EnsureVM returns the path of a complete root with a kernel of its own, its headers and
// DKMS; it builds one out of the base root when there is none, which takes half a minute.
func EnsureVM(ctx context.Context, log io.Writer, base string) (string, error) {
	sum := sha256.Sum256([]byte(filepath.Base(base) + "\n" + addKernel))
	root := filepath.Join(Cache(), "vm-"+hex.EncodeToString(sum[:6]))
	if complete(root) {
		return root, nil
	}
	unlock, err := lock(root + ".lock")
	if err != nil {
		return "", fmt.Errorf("waiting for another builder of the root with a kernel: %w", err)
	}
	defer unlock()
	if complete(root) {
		return root, nil
	}
	fmt.Fprintf(log, "building the root with a kernel (once; half a minute)\n")
	return root, buildVM(ctx, base, root)
}

func buildVM(ctx context.Context, base, root string) error {
	half := root + ".building"
	if err := tree.Remove(half); err != nil {
		return fmt.Errorf("removing what an earlier build left: %w", err)
	}
	if err := isolated(ctx, strings.NewReader(addKernel), "/bin/sh", "-s", base, half); err != nil {
		return fmt.Errorf("building the root with a kernel: %w", err)
	}
	return os.Rename(half, root)
}

// addKernel makes $2 out of the base root $1, in a mount namespace of its own: apt uses
// the machine's own resolver there. The kernel is the last but one that the archive has,
// so that a host can be upgraded. Emulated programs are slow, so the initramfs holds only
// the drivers of the emulated machine, and headers are those of its processors.
const addKernel = `set -eu
cp -a -- "$1" "$2"
mount --bind /etc/resolv.conf "$2/etc/resolv.conf"
touch "$2/etc/hosts"
mount --bind /etc/hosts "$2/etc/hosts"
mount -t proc proc "$2/proc"
for bundle in "${SSL_CERT_FILE:-}" "${CURL_CA_BUNDLE:-}"
do
  if [ -f "$bundle" ]
  then
    mount --bind "$bundle" "$2/etc/ssl/certs/ca-certificates.crt"
    break
  fi
done
mkdir -p "$2/etc/initramfs-tools/conf.d" "$2/etc/systemd/network"
printf 'MODULES=list\nCOMPRESS=gzip\nCOMPRESSLEVEL=1\nRESUME=none\nFSTYPE=ext4\nBUSYBOX=n\n' > "$2/etc/initramfs-tools/conf.d/pdlab"
printf 'virtio_pci\nvirtio_blk\nvirtio_net\n' > "$2/etc/initramfs-tools/modules"
printf '[Match]\nDriver=virtio_net\n[Link]\nName=host0\n' > "$2/etc/systemd/network/10-pdlab.link"
printf 'path-exclude=/usr/src/linux-headers-*/arch/*\npath-include=/usr/src/linux-headers-*/arch/x86*\n' > "$2/etc/dpkg/dpkg.cfg.d/pdlab-headers"
mkdir -p "$2/etc/systemd/system/pdlab-address.service.d"
printf '[Unit]\nBindsTo=sys-subsystem-net-devices-host0.device\nAfter=sys-subsystem-net-devices-host0.device\n' \
  > "$2/etc/systemd/system/pdlab-address.service.d/vm.conf"
printf '#!/bin/sh\nexit 101\n' > "$2/usr/sbin/policy-rc.d"
chmod 0755 "$2/usr/sbin/policy-rc.d"
chroot "$2" /bin/sh -eus <<'END'
apt-get update -qq
release=$(apt-cache pkgnames linux-image-6.1.0- | sed -n 's/^linux-image-\(.*-cloud-amd64\)$/\1/p' | sort -V | tail -n 2 | head -n 1)
apt-get install -y -qq --no-install-recommends -o Dpkg::Options::=--force-confold \
  dkms "linux-image-$release" "linux-headers-$release"
chmod a-x /usr/share/initramfs-tools/hooks/dmsetup /usr/share/initramfs-tools/hooks/fsck /usr/share/initramfs-tools/hooks/thermal
update-initramfs -u
apt-get clean
rm -rf /var/lib/apt/lists/* /usr/sbin/policy-rc.d
END
`
