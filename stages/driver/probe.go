package driver

import (
	"github.com/pdprov/pdprov/internal/apt"
	"github.com/pdprov/pdprov/internal/hostfile"
	"github.com/pdprov/pdprov/internal/nvrepo"
	"github.com/pdprov/pdprov/internal/osrelease"
	"github.com/pdprov/pdprov/internal/record"
	"github.com/pdprov/pdprov/stages/stage"
)

const (
	kernelID   = "driver.kernel"
	loadedID   = "driver.loaded"
	libraryID  = "driver.library"
	busID      = "driver.bus"
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
say end ''
`

// loadedScript reads what the kernel has loaded. /sys/module answers when nothing else
// of the driver does.
const loadedScript = record.Say + record.Show + `
[ -d /sys/module/kernel ] || [ -d /sys/module ] || { echo '/sys/module is not there' >&2; exit 1; }
for f in version srcversion; do
  if [ -e "/sys/module/nvidia/$f" ]; then text=$(show "/sys/module/nvidia/$f") || exit 1; say "$f" "$text"; fi
done
if [ -d /sys/module/nvidia ]; then say nvidia ''; fi
if [ -d /sys/module/nouveau ]; then say nouveau ''; fi
if [ -e /proc/driver/nvidia/version ]; then text=$(show /proc/driver/nvidia/version) || exit 1; say banner "$text"; fi
if [ -e /usr/bin/nvidia-uninstall ]; then say uninstaller ''; fi
say end ''
`

// libraryScript finds the library that programs load, where the distributions keep it.
const libraryScript = record.Say + `
for f in /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1 /usr/lib/aarch64-linux-gnu/libnvidia-ml.so.1 /usr/lib64/libnvidia-ml.so.1; do
  [ -e "$f" ] || [ -h "$f" ] || continue
  to=$(readlink -f -- "$f") || exit 1
  say library "$to"
done
say end ''
`

// busScript lists NVIDIA's devices on the PCI bus, which show without any driver.
const busScript = record.Say + `
cd /sys/bus/pci/devices || exit 1
for d in *; do
  { [ -e "$d/vendor" ] && read -r vendor <"$d/vendor"; } || continue
  [ "$vendor" = 0x10de ] || continue
  read -r class <"$d/class" && read -r device <"$d/device" || exit 1
  driver=none
  if [ -h "$d/driver" ]; then driver=$(readlink "$d/driver") || exit 1; fi
  say device "$d $class $device ${driver##*/}"
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

const servicesScript = `out=$(systemctl show -p LoadState -p ActiveState -p UnitFileState -- nvidia-persistenced.service) || exit 1
printf '%s\n' "$out"
`

// Probes asks for the five versions, for the packages, and for what would stop them.
func (Kind) Probes(in stage.Instance) []stage.Probe {
	w := wishOf(in.Config)
	probes := []stage.Probe{
		{ID: loadedID, Script: loadedScript, Quick: true, Reads: []stage.Resource{"gpu:loaded"}},
		{ID: libraryID, Script: libraryScript, Quick: true, Reads: []stage.Resource{"gpu:driver"}},
		{ID: busID, Script: busScript, Quick: true, Reads: []stage.Resource{"gpu:loaded"}},
	}
	if w.adopt {
		return probes
	}
	probes = append(probes,
		osrelease.Probe(),
		stage.Probe{ID: kernelID, Script: kernelScript, TimeoutSeconds: 20, Reads: []stage.Resource{"gpu:driver", "path:/lib/modules", "path:/boot"}},
		stage.Probe{ID: bootID, Script: secureBootScript, Quick: true, Reads: []stage.Resource{"gpu:firmware"}},
		w.blacklistFile(),
	)
	probes = append(probes, apt.Patterns(patterns()...)...)
	if w.pin == byHold {
		probes = append(probes, w.unattendedFile())
	}
	if w.pin == byPackage {
		probes = append(probes, apt.Probes(w.pinningPackage())...)
	}
	if w.persistence {
		probes = append(probes, stage.Probe{ID: servicesID, Script: servicesScript, Quick: true, Reads: []stage.Resource{"unit:nvidia-persistenced.service"}})
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

const blacklistText = "# written by pdprov: nouveau would take the GPUs before NVIDIA's driver\nblacklist nouveau\noptions nouveau modeset=0\n"

const unattendedText = "// written by pdprov: the driver changes with the plan only\n" +
	`Unattended-Upgrade::Package-Blacklist { "nvidia-"; "libnvidia-"; "libcuda1"; "cuda-"; "linux-modules-nvidia-"; };` + "\n"

func (wish) blacklistFile() stage.Probe {
	return hostfile.Look(blacklistPath, hostfile.Digest([]byte(blacklistText)))
}

func (wish) unattendedFile() stage.Probe {
	return hostfile.Look(unattendedPath, hostfile.Digest([]byte(unattendedText)))
}

func (w wish) pinningPackage() string { return "nvidia-driver-pinning-" + w.branch }
