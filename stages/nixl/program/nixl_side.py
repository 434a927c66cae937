"""One side of a transfer: the target waits for orders, the initiator gives them.

A side ends by os._exit: NIXL 1.1 to 1.3.2 die of SIGSEGV at the interpreter's exit, after
correct transfers.
"""

import base64
import ctypes
import importlib
import json
import os
import re
import socket
import sys
import time

import nixl_memory
import nixl_wire


class Fault(Exception):
    """What keeps NIXL from moving bytes here."""


def api():
    """The API of the wheel that the environment's programs would get."""
    last = None
    for name in ("nixl._api", "nixl_cu13._api", "nixl_cu12._api"):
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as e:
            if e.name != name.split(".")[0]:
                raise
            last = last or e
    raise last


class Side:
    def __init__(self, job):
        self.job = job
        module = api()
        self.memory = nixl_memory.make(job["memory"], job["bytes"])
        name = "%s-%d" % (job["role"], os.getpid())
        self.agent = module.nixl_agent(name, module.nixl_agent_config(backends=["UCX"]))
        plugins = sorted(self.agent.get_plugin_list())
        if "UCX" not in plugins:
            raise Fault("UCX is not among the plugins that NIXL found (%s)" % " ".join(plugins))
        self.facts = facts(self.agent, plugins)
        kind = job["memory"].upper()
        if kind == "VRAM" and "cuda" not in self.facts["modules"]:
            raise Fault("UCX has loaded no CUDA module, so it cannot move GPU memory")
        where = (self.memory.address, job["bytes"], 0)
        self.agent.register_memory([where + ("",)], kind)
        self.descs = self.agent.get_xfer_descs([where], kind)


def facts(agent, plugins):
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as f:
        paths = {line.split(None, 5)[5].rstrip("\n") for line in f if line.count("/") > 0 and len(line.split(None, 5)) == 6}
    ucp = sorted(p for p in paths if re.match(r"libucp[-.]", os.path.basename(p)))
    modules = {m.group(1) for m in (re.match(r"libuct_([a-z0-9_]+)\.so", os.path.basename(p)) for p in paths) if m}
    return {
        "plugins": plugins, "mem_types": sorted(agent.get_plugin_mem_types("UCX")),
        "ucx_path": ucp[0] if ucp else "", "ucx_version": version(ucp[0]) if ucp else "of an unknown version", "modules": sorted(modules),
    }


def version(path):
    try:
        call = ctypes.CDLL(path).ucp_get_version_string
    except (OSError, AttributeError):
        return "of an unknown version"
    call.restype = ctypes.c_char_p
    return call().decode()


def target(job, sock):
    """Fills and checks its memory as it is told, until it is told to end."""
    side = Side(job)
    where = {"address": side.memory.address, "metadata": base64.b64encode(side.agent.get_agent_metadata()).decode()}
    nixl_wire.send(sock, where)
    seen = {"checked": 0, "filled": 0}
    while True:
        order = nixl_wire.receive(sock)
        # The first order waits until the other side has loaded its libraries; between two there is a transfer.
        sock.settimeout(3 * job["stall"])
        if order["do"] == "end":
            return {"facts": side.facts, "seen": seen}
        if order["do"] == "fill":
            side.memory.fill(order["seed"])
            seen["filled"] += order["op"] == "READ"
            nixl_wire.send(sock, {})
        elif order["do"] == "check":
            wrong = side.memory.check(order["seed"])
            seen["checked"] += wrong < 0
            nixl_wire.send(sock, {"wrong": wrong})
        side.agent.get_new_notifs()


def initiator(job, sock):
    if job["peer"]:
        nixl_wire.send(sock, {"run": job["name"]}, job["token"])
    side = Side(job)
    there = nixl_wire.receive(sock)
    sock.settimeout(2 * job["stall"])
    if "fault" in there:
        raise Refused(there)
    name = side.agent.add_remote_agent(base64.b64decode(there["metadata"]))
    remote = side.agent.get_xfer_descs([(there["address"], job["bytes"], 0)], job["memory"].upper())
    done = {}
    try:
        for op in ("WRITE", "READ"):
            done[op] = measure(side, sock, op, remote, name)
        nixl_wire.send(sock, {"do": "end"})
    except Exception as e:  # what was shown before stays shown
        return dict(failure(e, job), facts=side.facts, done=done)
    return {"facts": side.facts, "done": done}


class Refused(Exception):
    """The target's own fault, with what its libraries printed."""

    def __init__(self, there):
        super().__init__(there["fault"])
        self.log = there.get("log", "")


def failure(e, job):
    """What went wrong, and on which side."""
    if isinstance(e, Refused):
        return {"fault": str(e), "log": e.log, "side": "the other side"}
    own = isinstance(e, (Fault, nixl_memory.NoMemory))
    text = " ".join(str(e).split())
    lost = isinstance(e, ConnectionError) or "REMOTE_DISCONNECT" in str(e)
    return {"fault": text if own else "%s: %s" % (type(e).__name__, text), "log": tail(job) + causes(e), "lost": lost}


def causes(e):
    """What an exception came from: numpy words the linker's complaint anew."""
    lines = ""
    for _ in range(8):
        e = e.__cause__ or e.__context__
        if e is None:
            break
        lines += "\n%s: %s" % (type(e).__name__, e)
    return lines


def measure(side, sock, op, remote, name):
    """Moves the memory once to warm up and then some times more; each with a pattern of its own."""
    took = []
    for i in range(side.job["repeats"] + 1):
        seed = "%s %d" % (op, i)
        there, here = (seed, seed + " before") if op == "READ" else (seed + " before", seed)
        ask(sock, {"do": "fill", "seed": there, "op": op})
        side.memory.fill(here)
        took.append(move(side, op, remote, name, seed))
        wrong = side.memory.check(seed) if op == "READ" else ask(sock, {"do": "check", "seed": seed})["wrong"]
        if wrong >= 0:
            raise Fault("%s said DONE, and the bytes from %d on are not those that were sent" % (op, wrong))
    size = side.job["bytes"]
    return {
        "gbps": round(size / min(took[1:]) / 1e9, 3), "first_gbps": round(size / took[0] / 1e9, 3),
        "bytes": size, "repeats": len(took) - 1,
    }


def ask(sock, order):
    nixl_wire.send(sock, order)
    answer = nixl_wire.receive(sock)
    if "fault" in answer:
        raise Refused(answer)
    return answer


def move(side, op, remote, name, seed):
    """Seconds of one transfer. The notification needs a living peer, so that shared memory of a dead one proves nothing."""
    handle = side.agent.initialize_xfer(op, side.descs, remote, name, seed.encode())
    started = time.perf_counter()
    state = side.agent.transfer(handle)
    while state == "PROC":
        if time.perf_counter() - started > side.job["stall"]:
            raise Fault("%s of %d bytes was not done after %g s: the peer does not answer" % (op, side.job["bytes"], side.job["stall"]))
        time.sleep(0)
        state = side.agent.check_xfer_state(handle)
    took = time.perf_counter() - started
    if state != "DONE":
        raise Fault("%s ended in the state %s" % (op, state))
    side.agent.release_xfer_handle(handle)
    return took


def tail(job):
    sys.stdout.flush()
    with open(job["log"], encoding="utf-8", errors="replace") as f:
        return f.read()[-6000:]


def main():
    job = json.loads(sys.argv[1])
    sock = socket.socket(fileno=job["fd"])
    sock.settimeout(job["deadline"])
    try:
        result = {"target": target, "initiator": initiator}[job["role"]](job, sock)
    except BaseException as e:
        result = failure(e, job)
        try:
            nixl_wire.send(sock, result)
        except OSError:
            pass
    print("\n" + nixl_wire.MARK + json.dumps(result), flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
