package driver

import (
	"github.com/pdprov/pdprov/internal/apt"
	"github.com/pdprov/pdprov/internal/dnf"
	"github.com/pdprov/pdprov/internal/gpu"
	"github.com/pdprov/pdprov/internal/hostfile"
	"github.com/pdprov/pdprov/internal/nvrepo"
	"github.com/pdprov/pdprov/internal/osrelease"
	"github.com/pdprov/pdprov/internal/record"
	"github.com/pdprov/pdprov/stages/stage"
)

const (
	kernelID   = "driver.kernel"
	rivalsID   = "driver.rivals"
	bootID     = "driver.secure-boot"
	servicesID = "driver.services"
)

// kernelScript shows every kernel that can boot, and of each what modinfo says of the
// module on the disk and whether headers are there. Minimal systems have no modinfo.
const kernelScript = record.Say + `
export PATH="$PATH:/usr/sbin:/sbin"
running=$(uname -r) || exit 1
say running "$running"
command -v modinfo >/dev/null || { echo 'the host has no modinfo (package kmod)' >&2; exit 1; }
for dir in /lib/modules/*/; do
  k=${dir%/}
  k=${k##*/}
  [ -e "/boot/vmlinuz-$k" ] || [ "$k" = "$running" ] || continue
  say kernel "$k"
  if [ -e "/lib/modules/$k/build/" ]; then say headers "$k"; fi
  rc=0
  text=$(modinfo -k "$k" nvidia 2>&1) || rc=$?
  say modinfo "$rc
$text"
done
if command -v dkms >/dev/null; then
  rc=0
  text=$(dkms status -m nvidia 2>&1) || rc=$?
  say dkms "$rc
$text"
fi
say end ''
`

// rivalsScript looks for what stands in the driver's way: nouveau, also one that an
// image from before the blacklist would load, and a driver of NVIDIA's own installer.
const rivalsScript = record.Say + `
[ -d /sys/module ] || { echo 'sysfs is not mounted' >&2; exit 1; }
if [ -d /sys/module/nouveau ]; then say nouveau ''; fi
if [ -e /usr/bin/nvidia-uninstall ]; then say uninstaller ''; fi
for image in /boot/initrd.img-* /boot/initramfs-*.img; do
  if [ -e "$image" ] && [ -e ` + blacklistPath + ` ] && old=$(find "$image" ! -newer ` + blacklistPath + `) && [ -n "$old" ]; then
    say initramfs "$image"
  fi
done
say end ''
`

// secureBootScript reads the firmware's own variable: four bytes of attributes, then 1
// for on.
const secureBootScript = `f=/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c
[ -d /sys/firmware/efi ] || { echo off; exit 0; }
[ -e "$f" ] || { echo 'the firmware has no variable SecureBoot' >&2; exit 66; }
bytes=$(od -An -v -tu1 -- "$f") || exit 1
n=0
for byte in $bytes; do n=$((n + 1)); done
case $n:${byte:-} in
5:0) echo off ;;
5:1) echo on ;;
*)
  echo "the variable SecureBoot has $n bytes and ends in ${byte:-nothing}" >&2
  exit 1
  ;;
esac
`

// servicesScript prints one block a service, in this order.
const servicesScript = `out=$(systemctl show -p LoadState -p ActiveState -p UnitFileState -- nvidia-persistenced.service nvidia-fabricmanager.service) || exit 1
printf '%s\n' "$out"
`

// Probes asks for the five versions, for the packages, and for what would stop them.
func (Kind) Probes(in stage.Instance) []stage.Probe {
	w := wishOf(in.Config)
	probes := append(gpu.Probes(), stage.Probe{ID: rivalsID, Script: rivalsScript, Quick: true, Reads: []stage.Resource{gpu.DriverResource, "path:/boot", "path:" + blacklistPath}})
	if w.adopt {
		return probes
	}
	probes = append(probes,
		osrelease.Probe(),
		stage.Probe{ID: kernelID, Script: kernelScript, TimeoutSeconds: 20, Reads: []stage.Resource{gpu.DriverResource, "path:/lib/modules", "path:/boot"}},
		stage.Probe{ID: bootID, Script: secureBootScript, Quick: true, Reads: []stage.Resource{"gpu:firmware"}},
		w.blacklistFile(),
	)
	probes = append(probes, apt.Patterns(aptPatterns()...)...)
	probes = append(probes, dnf.Patterns(dnfPatterns()...)...)
	probes = append(probes, w.unattendedFile(), holdsProbe())
	if w.pin == byPackage {
		probes = append(probes, apt.Probes(w.pinningPackage())...)
	}
	if w.persistence || w.fabricManager {
		probes = append(probes, stage.Probe{ID: servicesID, Script: servicesScript, Quick: true, Reads: []stage.Resource{"unit:nvidia-persistenced.service", "unit:nvidia-fabricmanager.service"}})
	}
	if w.source == nvidia {
		probes = append(probes, nvrepo.Probes()...)
	}
	return probes
}

// Files that the stage keeps.
const (
	blacklistPath  = "/etc/modprobe.d/pdprov-nouveau.conf"
	unattendedPath = "/etc/apt/apt.conf.d/52pdprov-nvidia"
)

// initramfsKnows: every image that boots was made after the blacklist.
const initramfsKnows = "made after the blacklist"

const blacklistText = "# written by pdprov: nouveau would take the GPUs before NVIDIA's driver\nblacklist nouveau\noptions nouveau modeset=0\n"

const unattendedText = "// written by pdprov: the driver changes with the plan only\n" +
	`Unattended-Upgrade::Package-Blacklist { "nvidia-"; "libnvidia-"; "libcuda1"; "cuda-"; "linux-modules-nvidia-"; };` + "\n"

func (wish) blacklistFile() stage.Probe {
	return hostfile.Look(blacklistPath, hostfile.Digest([]byte(blacklistText)))
}

func (wish) unattendedFile() stage.Probe {
	return hostfile.Look(unattendedPath, hostfile.Digest([]byte(unattendedText)))
}

func (w wish) pinningPackage() string { return pinningPrefix + w.branch }
