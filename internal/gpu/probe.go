package gpu

import (
	"strings"

	"github.com/pdprov/pdprov/internal/record"
	"github.com/pdprov/pdprov/stages/stage"
)

// What the questions read, and what a stage that changes the driver writes: what is
// installed, and what is loaded.
const (
	DriverResource stage.Resource = "gpu:driver"
	LoadedResource stage.Resource = "gpu:loaded"
)

// IDs of the questions.
const (
	pciID       = "gpu:pci"
	driverID    = "gpu:driver"
	numaID      = "gpu:numa"
	smiID       = "gpu:nvidia-smi"
	moreID      = "gpu:nvidia-smi more"
	processesID = "gpu:processes"
	topologyID  = "gpu:topology"
)

// Fields of the first query, which every driver since R510 knows, and of the second.
const (
	coreFields    = "index,uuid,name,pci.bus_id,driver_version,compute_cap,memory.total,persistence_mode,ecc.mode.current,mig.mode.current"
	moreFields    = "pci.bus_id,compute_mode,gpu_recovery_action,ecc.mode.pending,mig.mode.pending"
	processFields = "pid,gpu_uuid,used_memory,process_name"
)

// Probes are the questions of Read. Those that ask the driver have a process each, so
// that a driver that hangs takes no other answer along.
func Probes() []stage.Probe {
	return append(Basics(),
		stage.Probe{ID: numaID, Script: numaScript, Quick: true, Reads: []stage.Resource{"path:/sys/devices/system"}},
		smi(moreID, "--query-gpu", moreFields),
		smi(processesID, "--query-compute-apps", processFields),
		smi(topologyID, "topo", "-m"),
	)
}

// Basics are the questions of Read that tell which GPUs and which driver there are; of
// what the others tell, Read then knows nothing.
func Basics() []stage.Probe {
	return []stage.Probe{
		{ID: pciID, Script: pciScript, Quick: true, Reads: []stage.Resource{LoadedResource, "path:/sys/bus/pci/devices"}},
		{ID: driverID, Script: driverScript, Reads: []stage.Resource{DriverResource, LoadedResource}},
		smi(smiID, "--query-gpu", coreFields),
	}
}

// Probe says whether a question is one of Probes.
func Probe(id string) bool { return strings.HasPrefix(id, "gpu:") }

func smi(id string, args ...string) stage.Probe {
	return stage.Probe{ID: id, Script: smiScript, Args: args, TimeoutSeconds: 30, Reads: []stage.Resource{DriverResource, LoadedResource}}
}

// get NAME FILE says what a file of sysfs holds; what cannot be read is left out. Not by
// read: some files, cpulist among them, give nothing to a shell that reads byte by byte.
const get = record.Say + `
get() { if line=$(cat "$2" 2>/dev/null); then say "$1" "$line"; fi; }
`

const pciScript = get + `
if [ ! -d /sys/bus/pci/devices ]; then
  [ -d /sys/bus ] || { echo 'sysfs is not mounted' >&2; exit 1; }
  exit 66
fi
for d in /sys/bus/pci/devices/*; do
  [ -e "$d" ] || continue
  vendor=
  { read -r vendor <"$d/vendor" || [ -n "$vendor" ]; } 2>/dev/null ||
    { echo "cannot read $d/vendor" >&2; exit 1; }
  [ "$vendor" = 0x10de ] || continue
  say device "${d##*/}"
  for name in class device numa_node local_cpulist current_link_width current_link_speed; do
    get ".$name" "$d/$name"
  done
  if [ ! -h "$d/driver" ]; then
    say .driver ''
  elif driver=$(readlink "$d/driver"); then
    say .driver "${driver##*/}"
  fi
done
say end ''
`

const numaScript = get + record.Show + `
[ -d /sys/devices/system/cpu ] || { echo 'sysfs is not mounted' >&2; exit 1; }
get cpus /sys/devices/system/cpu/online
get nodes /sys/devices/system/node/online
for d in /sys/devices/system/node/node[0-9]*; do
  [ -d "$d" ] || continue
  say node "${d##*/node}"
  get .cpulist "$d/cpulist"
  if [ -r "$d/meminfo" ]; then say .meminfo "$(show "$d/meminfo")"; fi
done
say end ''
`

// driverScript knows the folders of libraries of Debian, Red Hat, SUSE and NixOS; what
// else the linker finds, ldconfig tells. Containers may have no /sys/module; the devices
// that the module registers are seen there as well.
const driverScript = get + record.Show + `
if [ -d /sys/module/nvidia ]; then
  state=loaded
elif [ -d /sys/module ]; then
  state=absent
elif [ -r /proc/devices ]; then
  state=absent
  while read -r _ name; do
    case $name in
    nvidia | nvidia-frontend) state=loaded ;;
    esac
  done </proc/devices
else
  echo 'neither /sys/module nor /proc/devices can be read' >&2
  exit 1
fi
say module "$state"
get .version /sys/module/nvidia/version
get .srcversion /sys/module/nvidia/srcversion
if [ -r /proc/driver/nvidia/version ]; then say kernel "$(show /proc/driver/nvidia/version)"; fi
for f in /proc/driver/nvidia/gpus/*/information; do
  if [ -r "$f" ]; then say information "$(show "$f")"; fi
done
told=' '
library() {
  if [ ! -e "$1" ] && [ ! -h "$1" ]; then return; fi
  target=$(readlink -f -- "$1") || target=
  case $told in *" $target "*) return ;; esac
  told="$told$target "
  say library "$1"
  say .target "$target"
}
for dir in /usr/lib/x86_64-linux-gnu /usr/lib/aarch64-linux-gnu /usr/lib64 /usr/lib /lib64 /run/opengl-driver/lib /usr/local/lib; do
  library "$dir/libnvidia-ml.so.1"
done
if listed=$(ldconfig -p 2>/dev/null); then
  say ldconfig ''
  while read -r name rest; do
    if [ "$name" = libnvidia-ml.so.1 ]; then library "${rest##*=> }"; fi
  done <<END_OF_LISTED
$listed
END_OF_LISTED
fi
say end ''
`

// smiScript takes the option of a query and its fields, or words for nvidia-smi as they
// are. One field that a driver does not know fails a whole query, so it is asked again
// without. What nvidia-smi finds wrong it says on its standard output.
const smiScript = record.Say + `
command -v nvidia-smi >/dev/null || exit 66
option=$1 fields=$2
while :; do
  case $option in
  --*) set -- "$option=$fields" --format=csv,noheader,nounits ;;
  esac
  rc=0
  out=$(timeout -k 5 20 nvidia-smi "$@") || rc=$?
  [ "$rc" -eq 2 ] || break
  bad=${out#*Field \"}
  bad=${bad%%\"*}
  case ",$fields," in
  *",$bad,"*) ;;
  *) break ;;
  esac
  say refused "$bad"
  list=",$fields,"
  fields="${list%%",$bad,"*},${list#*",$bad,"}"
  fields=${fields#,}
  fields=${fields%,}
  [ -n "$fields" ] || break
done
case $rc in
0 | 6)
  say fields "$fields"
  say exit "$rc"
  say out "$out"
  exit 0
  ;;
124 | 137) echo '` + silent + ` within 20 s, or was killed' >&2 ;;
*) printf '%s\n' "$out" >&2 ;;
esac
case $rc in
66 | 124 | 137) rc=1 ;;
esac
exit "$rc"
`
