"""What the words of NIXL, UCX and the dynamic linker mean, and what to do about them."""

import re

FAILED = "failed"
UNTESTABLE = "cannot be tested here"

# (what is printed, outcome, meaning, remedy); the first that is found decides, so causes stand before their consequences.
TABLE = [
    (r"libcuda\.so\.1: cannot open shared object file", UNTESTABLE,
     "libcuda.so.1, a part of the NVIDIA driver, is not on this host",
     "Install the driver (stage \"driver\"), or take a NIXL wheel that does without it"),
    (r"No module named 'torch'", UNTESTABLE,
     "the environment has no torch, which this NIXL imports (1.3 and older) or which GPU memory is taken from",
     "Put torch into the lock of the environment"),
    (r"finds no CUDA device", UNTESTABLE,
     "torch finds no CUDA device",
     "Look at the driver (nvidia-smi), and whether torch is a build for CUDA"),
    (r"CUDA out of memory", UNTESTABLE,
     "other programs have the GPU's memory",
     "Apply while the units are stopped, or take a smaller size"),
    (r"No module named 'nixl", FAILED,
     "NIXL is not installed in the environment",
     "Put nixl and nixl-cu12 or nixl-cu13 into its lock"),
    (r"detected CUDA (\d+) but nixl-cu\d+ is not installed", FAILED,
     "torch is built for CUDA {1}, and the wheel nixl-cu{1} is not installed",
     "Put nixl-cu{1} into the lock, in the version of nixl"),
    (r"Please set max locked memory \(ulimit -l\) to 'unlimited'[^\n]*", FAILED,
     "memory cannot be locked for RDMA: {0}",
     "Set LimitMEMLOCK=infinity in the units, and DefaultLimitMEMLOCK=infinity in /etc/systemd/system.conf for this check"),
    (r"ibv_reg_mr\([^\n]*failed: Cannot allocate memory", FAILED,
     "memory cannot be registered for RDMA although it may be locked: the process has too many mappings",
     "Raise vm.max_map_count to 262144 (stage \"sysctl\")"),
    (r"(\d+) NVIDIA GPU\(s\) were detected, but UCX CUDA support was not found", FAILED,
     "UCX uses none of its CUDA modules (GPUs here: {1}), so that GPU memory cannot be moved",
     "Where UCX_TLS is set, add cuda_copy and cuda_ipc to it: \"cuda_copy,cuda_ipc,sm,tcp,self\". nixl-cu13 1.0.0 also needs UCX_MODULE_DIR = \"<site-packages>/nixl_cu13.libs/ucx\""),
    (r"VRAM memory is detected as host by UCX", FAILED,
     "UCX takes GPU memory for host memory: it is not configured with CUDA",
     "Let UCX_TLS hold cuda_copy,cuda_ipc, set UCX_MODULE_DIR to the wheel's ucx folder, and take other UCX libraries out of LD_LIBRARY_PATH"),
    (r"UCX has loaded no CUDA module", FAILED,
     "UCX has loaded no CUDA module, so it cannot move GPU memory",
     "Look for libuct_cuda.so in the wheel's ucx folder, and for UCX_MODULE_DIR and UCX_TLS in the environment"),
    (r"UCX version is [^\n]* less than 1\.19", FAILED,
     "an old UCX of the system is bound, and CUDA does not work well with it",
     "Take it out of LD_LIBRARY_PATH, so that the wheel's own UCX is used"),
    (r"no active messages transport to", FAILED,
     "UCX_TLS leaves no transport that can tell when a peer is lost",
     "Add tcp to UCX_TLS: \"cuda_copy,cuda_ipc,sm,tcp,self\""),
    (r"transports? ('cuda_[a-z]+'(?:, ?'cuda_[a-z]+')*) (?:is|are) not available", FAILED,
     "UCX_TLS asks for {1}, whose modules are missing or find no driver",
     "Look for libuct_cuda.so in the wheel's ucx folder, and for the driver; on a host without GPUs leave them out of UCX_TLS"),
    (r"no usable transports/devices \(asked ([^)]*)\)", FAILED,
     "UCX has none of the transports or devices that were asked for ({1})",
     "Correct UCX_TLS and UCX_NET_DEVICES; add tcp to UCX_TLS"),
    (r"No plugins available for NIXL", FAILED,
     "NIXL finds no plugin at all, so NIXL_PLUGIN_DIR leads to a wrong folder or the wheel is damaged",
     "Take NIXL_PLUGIN_DIR out of the environment, or let it name the folder with libplugin_UCX.so"),
    (r"backend registration UCX due to the missing plugin", FAILED,
     "NIXL has no UCX plugin: agents start with a warning and can move nothing",
     "Install nixl-cu12 or nixl-cu13 anew, or let NIXL_PLUGIN_DIR name the folder with libplugin_UCX.so"),
    (r"createBackend: unsupported backend 'UCX'", FAILED,
     "NIXL's UCX plugin is there and cannot be loaded",
     "Another UCX in LD_LIBRARY_PATH, a missing library (ldd on libplugin_UCX.so names it) or a damaged file: install the wheel anew and leave LD_LIBRARY_PATH empty"),
    (r"lies outside the environment", FAILED,
     None,
     "Take other UCX libraries out of LD_LIBRARY_PATH, or set system_ucx = true where this is wanted"),
    (r"([^\s:]+\.so[^\s:]*): (file too short|invalid ELF header|cannot open shared object file)", FAILED,
     "a library cannot be loaded: {1}: {2}",
     "Look at LD_LIBRARY_PATH: a library of this name from there comes before the wheel's own; or install the wheel anew"),
    (r"cannot listen on", FAILED, None,
     "Set address to an IP address of this host, and port to one that nothing else has"),
    (r"no connection to the listener", FAILED, None,
     "Look at the listener's log, at its address, and at firewalls between the hosts: NIXL takes ports of its own beside this one"),
    (r"NIXL_ERR_REMOTE_DISCONNECT|the peer does not answer|the other side (?:said nothing|closed)|had no result when the time was up", FAILED, None,
     "The link between the two was cut, the peer was stopped or killed, or a firewall drops UCX's own ports: look at the peer's log and at UCX_NET_DEVICES"),
    (r"SIGSEGV", FAILED, None,
     "Two UCX in one process, or GPU memory that UCX takes for host memory: look for UCX libraries in LD_LIBRARY_PATH and at UCX_TLS"),
    (r"are not those that were sent", FAILED, None,
     "This is data loss: do not serve with this path. Try UCX_TLS without cuda_ipc, look at IOMMU and ACS, and at the driver's log"),
    (r"NIXL_ERR_BACKEND", FAILED, None, "The lines of UCX above say why; UCX_LOG_LEVEL=info in env tells more"),
]


def explain(fault, log, side):
    """An entry of the result for what was not shown: outcome, reason, remedy. The exact words stay."""
    where = side + ": " if side else ""
    for form, outcome, meaning, remedy in TABLE:
        m = re.search(form, log + "\n" + fault)
        if m is None:
            continue
        reason = fault
        if meaning is not None:
            for i, text in enumerate((m.group(0),) + m.groups()):
                meaning = meaning.replace("{%d}" % i, text)
                remedy = remedy.replace("{%d}" % i, text)
            reason = meaning if meaning in fault else "%s (%s)" % (meaning, words(m, log, fault))
        return {"outcome": outcome, "reason": where + reason, "remedy": remedy}
    return {"outcome": FAILED, "reason": where + fault, "remedy": "What was printed last: " + (last(log) or "nothing")}


def words(m, log, fault):
    """The line that the meaning was taken from, and the fault where it says something else."""
    text = log + "\n" + fault
    line = text[text.rfind("\n", 0, m.start()) + 1:].split("\n", 1)[0].strip()[:300]
    return line if fault in line or line in fault else line + "; " + fault


def last(log):
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    return " | ".join(lines[-3:])[-600:]


def slow(memory, op, peer):
    """What to look at where the bytes arrive, and too slowly."""
    if memory == "vram" and op == "READ":
        return "Without NVLink UCX does not read GPU memory directly: programs that pull (vLLM's connector) are slow, SGLang pushes. UCX_CUDA_IPC_ENABLE_GET_ZCOPY=on changes that; else ask for less"
    if memory == "vram" and not peer:
        return "Near 0.5 GB/s the bytes go by TCP and not from GPU to GPU: look whether UCX_TLS holds cuda_ipc and cuda_copy, at nvidia-smi topo -p2p w, at ACS and IOMMU"
    if memory == "vram":
        return "Look whether GPUDirect RDMA works (nvidia_peermem or DMA-BUF), at UCX_NET_DEVICES, and at the port's rate"
    if peer:
        return "Look at the rate of the network port, at UCX_NET_DEVICES, and at what else uses the link"
    return "The first transfers and a busy host are slow; in a container without ptrace rights TCP takes the place of shared memory. Ask for less, or look at UCX_TLS"
