package nixl

import (
	"github.com/pdprov/pdprov/internal/pyenv"
	"github.com/pdprov/pdprov/internal/record"
	"github.com/pdprov/pdprov/stages/stage"
)

// IDs of the questions that are the same for every stage of a host.
const (
	hostID = "nixl host"
	p2pID  = "nixl p2p"
)

// piecesProbe lists the files that NIXL loads, with their sizes. It starts no Python.
func (w wish) piecesProbe() stage.Probe {
	plugins, modules := w.env["NIXL_PLUGIN_DIR"], w.env["UCX_MODULE_DIR"]
	return stage.Probe{
		ID:     "nixl pieces " + w.venv + " " + plugins + " " + modules,
		Script: piecesScript, Args: []string{w.venv, plugins, modules}, Quick: true,
		Reads: pyenv.Reads(w.venv),
	}
}

// A wheel keeps its plugins in the hidden folder; a second set in nixl_cuNN.libs/nixl is
// not the one that is loaded.
const piecesScript = record.Say + `
venv=$1
list() {
  field=$1
  shift
  names=
  for file in "$@"; do
    shift
    [ -f "$file" ] || continue
    set -- "$@" "$file"
    names="$names${file##*/}
"
  done
  sizes=
  if [ "$#" -gt 0 ]; then
    sizes=$(stat -L -c %s -- "$@") || exit 1
  fi
  say "$field" "$names"
  say "$field-sizes" "$sizes"
}
for site in "$venv"/lib/python3*/site-packages; do
  [ -d "$site" ] || continue
  for name in nixl_cu12 nixl_cu13; do
    [ -d "$site/$name" ] || continue
    say tree "$name"
    if [ -d "$site/.$name.mesonpy.libs/plugins" ]; then
      say .folder "$site/.$name.mesonpy.libs/plugins"
      list .plugins "$site/.$name.mesonpy.libs/plugins"/libplugin_*.so
    fi
    if [ -d "$site/$name.libs" ]; then
      list .libs "$site/$name.libs"/libuc[pstm]*.so*
    fi
    if [ -d "$site/$name.libs/ucx" ]; then
      list .modules "$site/$name.libs/ucx"/libuct_*.so.0.0.0
    fi
  done
done
if [ -n "$2" ]; then
  say override "$2"
  if [ -d "$2" ]; then
    say .folder "$2"
    list .plugins "$2"/libplugin_*.so
  fi
fi
if [ -n "$3" ]; then
  say moduledir "$3"
  if [ -d "$3" ]; then
    list .modules "$3"/libuct_*.so.0.0.0
  fi
fi
say end ''
`

// resultProbe reads what the last proof wrote, and what this host did for proofs of others.
func (w wish) resultProbe() stage.Probe {
	return stage.Probe{
		ID: "nixl result " + w.addr, Script: resultScript, Args: []string{w.resultPath(), resultFolder + w.slug() + ".for."}, Quick: true,
		Reads: []stage.Resource{stage.Resource("path:" + w.resultPath())},
	}
}

const resultScript = record.Say + record.Show + `
none=yes
if [ -e "$1" ] || [ -h "$1" ]; then
  none=
  text=$(show "$1") || exit 1
  say result "$text"
fi
for file in "$2"*.json; do
  [ -f "$file" ] || continue
  none=
  text=$(show "$file") || exit 1
  say served "$text"
done
[ -z "$none" ] || exit 66
say end ''
`

// hostProbe asks for what decides how memory is registered and how GPUs reach each
// other. All of it is shown, none of it is kept by the stage.
func hostProbe() stage.Probe {
	return stage.Probe{ID: hostID, Script: hostScript, Quick: true, Reads: []stage.Resource{"path:/sys/class/infiniband", "path:/sys/module", "path:/sys/kernel/iommu_groups", "path:/proc/cmdline", "path:/etc/systemd/system.conf", "path:/etc/systemd/system.conf.d", "sysctl:vm.max_map_count"}}
}

const hostScript = record.Say + record.Show + `
text=$(show /proc/cmdline) && say cmdline "$text"
text=$(show /proc/sys/kernel/osrelease) && say kernel "$text"
# The kernel gives a number of /proc/sys whole or not at all, and sh reads byte by byte.
text=$(cat /proc/sys/vm/max_map_count) && say maps "$text"
text=$(timeout 5 systemctl show --property=DefaultLimitMEMLOCK 2>/dev/null) && say memlock "$text"
if [ -d /sys/module ]; then
  if [ -d /sys/module/nvidia_peermem ]; then
    say peermem loaded
  else
    say peermem absent
  fi
fi
if [ -d /sys/kernel/iommu_groups ]; then
  say iommu ''
  for type in /sys/kernel/iommu_groups/*/type; do
    [ -f "$type" ] || continue
    text=$(show "$type") && say group "$text"
  done
fi
if [ -d /sys/class ]; then
  say rdma ''
  for port in /sys/class/infiniband/*/ports/*; do
    [ -d "$port" ] || continue
    state=$(show "$port/state") || state=
    rate=$(show "$port/rate") || rate=
    layer=$(show "$port/link_layer") || layer=
    device=${port%/ports/*}
    say port "${device##*/}:${port##*/}"
    say .state "$state"
    say .rate "$rate"
    say .layer "$layer"
  done
fi
say end ''
`

// p2pProbe asks whether GPUs can write to each other, by the driver's word.
func p2pProbe() stage.Probe {
	return stage.Probe{ID: p2pID, Script: p2pScript, TimeoutSeconds: 30, Reads: []stage.Resource{"gpu:driver", "gpu:loaded"}}
}

const p2pScript = record.Say + `
command -v nvidia-smi >/dev/null || exit 66
text=$(timeout -k 2 20 nvidia-smi topo -p2p w) || { echo "$text" >&2; exit 1; }
say p2p "$text"
say end ''
`
