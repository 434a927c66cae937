"""Stands for torch with a GPU whose memory lies in the process."""

import ctypes
import os

__version__ = "2.11.0+cu130"
uint8 = "uint8"


class cuda:
    @staticmethod
    def is_available():
        return os.environ.get("CUDA_VISIBLE_DEVICES", "").startswith("GPU-")

    @staticmethod
    def synchronize():
        pass


class Tensor:
    def __init__(self, view):
        self.view = view

    def data_ptr(self):
        return ctypes.addressof(ctypes.c_char.from_buffer(self.view))

    def __getitem__(self, part):
        return Tensor(self.view[part])

    def copy_(self, other):
        self.view[:] = other.view

    def to(self, device):
        return self


def zeros(size, dtype, device):
    return Tensor(memoryview(bytearray(size)))


def frombuffer(data, dtype):
    return Tensor(memoryview(data))


def equal(a, b):
    return a.view == b.view
