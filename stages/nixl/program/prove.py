"""Proves that NIXL moves bytes: two processes of this host, or one here and one behind a
listener on another host.

usage: prove.py prove REQUEST RESULT | prove.py listen REQUEST RESULT

The exit status says whether everything that was asked for was shown. RESULT is written
in any case, so that the next look knows what came out.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time

import nixl_reasons
import nixl_wire

SIDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "nixl_side.py")


class Child:
    """One side in a process group of its own; what it and its libraries print goes to a file."""

    def __init__(self, role, request, run, sock):
        self.log = tempfile.NamedTemporaryFile(prefix="pdprov-nixl-", suffix=".log")
        env = dict(os.environ, PYTHONDONTWRITEBYTECODE="1", NIXL_LOG_LEVEL="INFO")
        env.update(request["env"])
        if run["memory"] == "vram":
            env["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
            gpu = run["to" if role == "target" else "from"]
            if gpu:
                env["CUDA_VISIBLE_DEVICES"] = gpu
        job = dict(run, role=role, fd=sock.fileno(), log=self.log.name, token=secret())
        job.update({k: request[k] for k in ("bytes", "repeats", "stall", "deadline")})
        self.process = subprocess.Popen(
            [sys.executable, SIDE, json.dumps(job)], env=env, stdin=subprocess.DEVNULL,
            stdout=self.log, stderr=self.log, pass_fds=[sock.fileno()], start_new_session=True)

    def wait(self, deadline):
        """The side's own result, or why there is none."""
        late = False
        try:
            self.process.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            late = True
        self.kill()
        with open(self.log.name, encoding="utf-8", errors="replace") as log:
            printed = log.read()
        result = nixl_wire.marked(printed)
        if result is not None:
            return result
        code = self.process.returncode
        if late:
            text = "it had no result when the time was up"
        elif code < 0:
            text = "it was ended by " + signal.Signals(-code).name + " before it had a result"
        else:
            text = "it ended with status %d and without a result" % code
        return {"fault": text, "log": printed[-6000:], "late": late}

    def kill(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()


def pair(request, run, deadline):
    """Both sides on this host."""
    mine, theirs = socket.socketpair()
    target = Child("target", request, run, theirs)
    initiator = Child("initiator", request, run, mine)
    mine.close()
    theirs.close()
    try:
        result = initiator.wait(deadline)
        if result.get("lost"):
            other = target.wait(time.monotonic() + 2)
            if "fault" in other and not other.get("lost") and not other.get("late"):
                result = dict(result, fault=other["fault"], log=other["log"], side="the other side")
        return result
    finally:
        initiator.kill()
        target.kill()


def across(request, run, deadline):
    """The initiator here, the target behind a listener."""
    peer = request["peer"]
    where = "%s port %d" % (peer["address"], peer["port"])
    try:
        sock = connect(peer, min(deadline, time.monotonic() + request["stall"]))
    except OSError as e:
        return {"fault": "no connection to the listener of %s at %s: %s" % (peer["stage"], where, e), "log": ""}
    initiator = Child("initiator", request, run, sock)
    sock.close()
    try:
        return initiator.wait(deadline)
    finally:
        initiator.kill()


def connect(peer, until):
    while True:
        try:
            return socket.create_connection((peer["address"], peer["port"]), timeout=5)
        except ConnectionRefusedError:
            # The listener is started at the same time as this.
            if time.monotonic() > until:
                raise
            time.sleep(0.2)


def prove(request, path):
    deadline = time.monotonic() + request["deadline"]
    result = {"inputs": request["inputs"], "proofs": {}, "facts": {}}
    good = True
    for run in request["runs"]:
        out = (across if run["peer"] else pair)(request, run, deadline)
        good = report(request, run, out, result) and good
        save(path, result)
    return 0 if good else 1


def report(request, run, out, result):
    """Prints what one pair of processes showed and puts it into the result."""
    facts = out.get("facts") or {}
    if facts:
        result["facts"] = facts
    foreign = foreign_ucx(request, facts)
    good, told = True, ""
    for op in ("WRITE", "READ"):
        key = run["name"] + "." + op.lower()
        done = (out.get("done") or {}).get(op)
        if done is None or foreign:
            fault = foreign or out.get("fault") or "it was not reached"
            entry = nixl_reasons.explain(fault, out.get("log", ""), out.get("side", ""))
        else:
            entry = gate(request, key, op, run, done)
        good = good and entry["outcome"] == "passed"
        worse(result["proofs"], key, entry)
        print_entry(run, op, entry, told)
        told = entry.get("reason", "")
    if facts:
        print("  UCX %s from %s" % (facts["ucx_version"], facts["ucx_path"] or "no file that is known"))
        print("  UCX modules: %s; plugins: %s; memory of UCX: %s" % tuple(
            " ".join(facts[k]) or "none" for k in ("modules", "plugins", "mem_types")))
    sys.stdout.flush()
    return good


def worse(proofs, key, entry):
    """Of several pairs of GPUs the worst one counts."""
    old = proofs.get(key)
    if old is None or old["outcome"] == "passed" and (entry["outcome"] != "passed" or entry["gbps"] < old["gbps"]):
        proofs[key] = entry


def foreign_ucx(request, facts):
    path = facts.get("ucx_path", "")
    home = os.path.realpath(request["venv"])
    if not path or request["system_ucx"] or os.path.realpath(path).startswith(home + os.sep):
        return ""
    return "NIXL is bound to %s, which lies outside the environment" % path


def gate(request, key, op, run, done):
    least = request["gates"].get(key)
    entry = {"outcome": "passed", "gbps": done["gbps"], "first_gbps": done["first_gbps"], "bytes": done["bytes"], "repeats": done["repeats"]}
    if least is not None and done["gbps"] < least:
        entry["outcome"] = "too slow"
        entry["reason"] = "%.2f GB/s, and %s GB/s are asked for" % (done["gbps"], least)
        entry["remedy"] = nixl_reasons.slow(run["memory"], op, run["peer"])
    return entry


def print_entry(run, op, entry, told):
    name = "%s %-5s" % (run["title"], op)
    if "gbps" in entry:
        print("%s %8.2f GB/s (first %.2f), %d bytes, best of %d, every byte compared%s" % (
            name, entry["gbps"], entry["first_gbps"], entry["bytes"], entry["repeats"],
            "" if entry["outcome"] == "passed" else ": " + entry["outcome"].upper()))
    if "reason" in entry and entry["reason"] == told:
        print("pdprov: %s: %s, for the same reason" % (name.strip(), entry["outcome"]))
    elif "reason" in entry:
        print("pdprov: %s: %s: %s. %s" % (name.strip(), entry["outcome"], entry["reason"], entry["remedy"]))


def listen(request, path):
    """Serves one connection for each run until its time is up or it is ended."""
    deadline = time.monotonic() + request["deadline"]
    peer = request["peer"]
    family = socket.AF_INET6 if ":" in peer["address"] else socket.AF_INET
    server = socket.socket(family)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        server.bind((peer["address"], peer["port"]))
        server.listen(4)
    except OSError as e:
        entry = nixl_reasons.explain("cannot listen on %s port %d: %s" % (peer["address"], peer["port"], e), "", "")
        print("pdprov: %s. %s" % (entry["reason"], entry["remedy"]), flush=True)
        return 1
    print("listening on %s port %d for %s" % (peer["address"], peer["port"], request["for"]), flush=True)
    runs = {run["name"]: run for run in request["runs"]}
    result = {"for": request["for"], "runs": {}}
    while runs and time.monotonic() < deadline:
        server.settimeout(max(0.1, deadline - time.monotonic()))
        try:
            sock, who = server.accept()
        except socket.timeout:
            break
        serve(request, runs, sock, who[0], deadline, result)
        save(path, result)
    return 0


def serve(request, runs, sock, who, deadline, result):
    with sock:
        # The other side's process starts only now.
        sock.settimeout(max(30, request["stall"]))
        try:
            name = nixl_wire.receive(sock, secret())["run"]
            run = runs.pop(name)
        except (OSError, ValueError, KeyError) as e:
            print("pdprov: a connection from %s was refused: %s" % (who, e), flush=True)
            return
        child = Child("target", request, run, sock)
    try:
        out = child.wait(deadline)
    finally:
        child.kill()
    seen = out.get("seen") or {}
    if "fault" in out:
        entry = nixl_reasons.explain(out["fault"], out.get("log", ""), "")
        print("pdprov: %s for %s: %s: %s. %s" % (run["title"], who, entry["outcome"], entry["reason"], entry["remedy"]), flush=True)
    else:
        print("%s for %s: %d WRITEs arrived whole, %d READs were filled" % (run["title"], who, seen["checked"], seen["filled"]), flush=True)
    result["runs"][name] = {"checked": seen.get("checked", 0), "filled": seen.get("filled", 0), "fault": out.get("fault", "")}


def secret():
    """Which both hosts have from the apply that started them; "" within one host."""
    return os.environ.get("PDPROV_PARTNER", "")


def save(path, result):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".new", "w", encoding="utf-8") as f:
        json.dump(result, f, indent=1, sort_keys=True)
        f.write("\n")
        f.flush()
        os.fsync(f.fileno())
    os.rename(path + ".new", path)


def main():
    with open(sys.argv[2], encoding="utf-8") as f:
        request = json.load(f)
    return {"prove": prove, "listen": listen}[sys.argv[1]](request, sys.argv[3])


if __name__ == "__main__":
    sys.exit(main())
