"""Memory that is filled with a pattern and compared with it, byte for byte."""

import ctypes
import hashlib
import mmap

# A prime, so that no page, block or power of two repeats the pattern.
TILE = 1048573


class NoMemory(Exception):
    """Memory of this kind cannot be had here."""


def make(kind, size):
    return {"dram": DRAM, "vram": VRAM}[kind](size)


def tile(seed):
    return hashlib.shake_128(seed.encode()).digest(TILE)


class DRAM:
    def __init__(self, size):
        self.size = size
        self.map = mmap.mmap(-1, size)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.map))

    def fill(self, seed):
        data = tile(seed)
        for at in range(0, self.size, TILE):
            n = min(TILE, self.size - at)
            self.map[at:at + n] = data[:n]

    def check(self, seed):
        """Where the first part that differs begins, -1 when all is as it should be."""
        data = tile(seed)
        for at in range(0, self.size, TILE):
            n = min(TILE, self.size - at)
            if self.map[at:at + n] != data[:n]:
                return at
        return -1


class VRAM:
    """Memory of the GPU that CUDA_VISIBLE_DEVICES names, by the environment's own torch."""

    def __init__(self, size):
        try:
            import torch
        except ImportError as e:
            raise NoMemory("GPU memory cannot be had: %s: %s" % (type(e).__name__, e)) from e
        if not torch.cuda.is_available():
            raise NoMemory("GPU memory cannot be had: torch %s finds no CUDA device" % torch.__version__)
        self.torch, self.size = torch, size
        self.tensor = torch.zeros(size, dtype=torch.uint8, device="cuda:0")
        self.address = self.tensor.data_ptr()

    def pattern(self, seed):
        return self.torch.frombuffer(bytearray(tile(seed)), dtype=self.torch.uint8).to("cuda:0")

    def fill(self, seed):
        data = self.pattern(seed)
        for at in range(0, self.size, TILE):
            n = min(TILE, self.size - at)
            self.tensor[at:at + n].copy_(data[:n])
        self.torch.cuda.synchronize()

    def check(self, seed):
        data = self.pattern(seed)
        self.torch.cuda.synchronize()
        for at in range(0, self.size, TILE):
            n = min(TILE, self.size - at)
            if not self.torch.equal(self.tensor[at:at + n], data[:n]):
                return at
        return -1
