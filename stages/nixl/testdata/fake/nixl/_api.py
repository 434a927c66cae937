"""Stands for NIXL: moves bytes between two processes by /proc/PID/mem, and fails on demand.

FAKE_NIXL says how; FAKE_MAPS lists files that are mapped, as libraries are.
"""

import json
import mmap
import os
import sys
import time

MODE = os.environ.get("FAKE_NIXL", "")
kept = []

# What the real parts print or raise, by mode.
TEXTS = json.loads(os.environ.get("FAKE_TEXTS", "{}"))


class nixlBackendError(Exception):
    pass


class nixlRemoteDisconnectError(Exception):
    pass


def nixl_agent_config(backends):
    return backends


class nixl_agent:
    def __init__(self, name, config):
        self.name, self.posted = name, 0
        print("2026-12-01 10:36:55 NIXL INFO    _api.py:281 Initialized NIXL agent: " + name)
        for path in filter(None, os.environ.get("FAKE_MAPS", "").split(":")):
            with open(path, "rb") as f:
                kept.append(mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ))
        if "print" in TEXTS:
            print(TEXTS["print"], file=sys.stderr, flush=True)
        if MODE == "segfault":
            os.kill(os.getpid(), 11)
        if "from" in TEXTS:
            raise ImportError(TEXTS["raise"]) from ImportError(TEXTS["from"])
        if "raise" in TEXTS:
            raise {"RuntimeError": RuntimeError, "ImportError": ImportError, "ModuleNotFoundError": ModuleNotFoundError}.get(
                TEXTS["type"], nixlBackendError)(TEXTS["raise"])

    def get_plugin_list(self):
        return ["POSIX"] if MODE == "no plugin" else ["POSIX", "UCX"]

    def get_plugin_mem_types(self, _):
        return ["DRAM_SEG", "VRAM_SEG"]

    def register_memory(self, descs, kind):
        pass

    def get_xfer_descs(self, descs, kind):
        return descs[0]

    def get_agent_metadata(self):
        return str(os.getpid()).encode()

    def add_remote_agent(self, metadata):
        return metadata.decode()

    def get_new_notifs(self):
        return {}

    def initialize_xfer(self, op, local, remote, peer, notif):
        return op, local, remote, peer

    def release_xfer_handle(self, handle):
        pass

    def transfer(self, handle):
        op, local, remote, peer = handle
        self.posted += 1
        if MODE == "stands still" and self.posted == 2:
            return "PROC"
        if MODE == "peer lost" and self.posted == 2:
            raise nixlRemoteDisconnectError("NIXL_ERR_REMOTE_DISCONNECT")
        if MODE == "error" and op == "READ":
            return "ERR"
        if MODE == "moves nothing" and op == "READ":
            return "DONE"
        if MODE == "slow":
            time.sleep(0.05)
        source, to = ("self", peer) if op == "WRITE" else (peer, "self")
        first, second = (local, remote) if op == "WRITE" else (remote, local)
        with open("/proc/%s/mem" % source, "rb", 0) as f:
            f.seek(first[0])
            data = bytearray()
            while len(data) < first[1]:
                data += f.read(first[1] - len(data))
        if MODE == "one byte wrong" and self.posted == 3:
            data[-1] ^= 1
        with open("/proc/%s/mem" % to, "wb", 0) as f:
            f.seek(second[0])
            f.write(data)
        return "DONE"

    def check_xfer_state(self, handle):
        return "PROC"
