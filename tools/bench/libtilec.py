# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# libtilec.so from Python, for measurements: compile a kernel to a cubin through the C ABI, load it with the CUDA driver,
# launch it on torch's tensors and stream.

import ctypes
import json
import os

import torch

CUBIN = 7  # TILEC_STAGE_CUBIN


class Binding(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("text", ctypes.c_char_p)]


class Options(ctypes.Structure):
    """tilec_options of include/tilec/tilec.h."""
    _fields_ = [("struct_size", ctypes.c_size_t), ("kernel", ctypes.c_char_p), ("target", ctypes.c_char_p),
                ("arguments", ctypes.POINTER(Binding)), ("num_arguments", ctypes.c_size_t),
                ("constants", ctypes.POINTER(Binding)), ("num_constants", ctypes.c_size_t),
                ("num_warps", ctypes.c_int32), ("num_stages", ctypes.c_int32), ("flags", ctypes.c_uint32),
                ("stop_after", ctypes.c_uint32), ("keep_stages", ctypes.c_uint32), ("ptxas", ctypes.c_char_p),
                ("cuda_home", ctypes.c_char_p), ("search_path", ctypes.c_char_p), ("libclc", ctypes.c_char_p),
                ("libdevice", ctypes.c_char_p)]


def bindings(values):
    array = (Binding * max(1, len(values)))()
    for slot, (name, text) in zip(array, values.items()):
        slot.name, slot.text = name.encode(), str(text).encode()
    return array


class Compiler:
    """One compiler of a libtilec.so."""

    def __init__(self, library):
        self.lib = ctypes.CDLL(library)
        for name in ("tilec_diagnostics_text", "tilec_kernel_metadata", "tilec_last_error"):
            getattr(self.lib, name).restype = ctypes.c_char_p
        self.lib.tilec_kernel_cubin.restype = ctypes.c_void_p
        self.handle = ctypes.c_void_p()
        self.check(self.lib.tilec_compiler_create(ctypes.byref(self.handle)), None)

    def check(self, status, diagnostics):
        if status != 0:
            text = self.lib.tilec_diagnostics_text(diagnostics) if diagnostics else self.lib.tilec_last_error()
            raise RuntimeError(f"libtilec: status {status}: {(text or b'').decode()}")

    def compile(self, path, kernel, arguments, constants, num_warps, target="sm_90a"):
        """The cubin and the metadata of one kernel."""
        kinds, values = bindings(arguments), bindings(constants)
        options = Options(ctypes.sizeof(Options), kernel.encode(), target.encode(), kinds, len(arguments), values,
                          len(constants), num_warps, 0, 0, CUBIN, 0, None,
                          os.environ.get("CUDA_HOME", "/usr/local/cuda").encode(),
                          os.environ.get("PATH", "").encode(), None, None)
        made, diagnostics = ctypes.c_void_p(), ctypes.c_void_p()
        status = self.lib.tilec_compile_file(self.handle, path.encode(), ctypes.byref(options), ctypes.byref(made),
                                             ctypes.byref(diagnostics))
        self.check(status, diagnostics)
        size = ctypes.c_size_t()
        cubin = ctypes.string_at(self.lib.tilec_kernel_cubin(made, ctypes.byref(size)), size.value)
        metadata = json.loads(self.lib.tilec_kernel_metadata(made).decode())
        self.lib.tilec_diagnostics_destroy(diagnostics)
        self.lib.tilec_kernel_destroy(made)
        return cubin, metadata


cuda = ctypes.CDLL("libcuda.so.1")


def check_cuda(result, what):
    if result != 0:
        text = ctypes.c_char_p()
        cuda.cuGetErrorName(result, ctypes.byref(text))
        raise RuntimeError(f"{what}: {text.value.decode() if text.value else result}")


PACK = {"i64": ctypes.c_int64, "i32": ctypes.c_int32, "i16": ctypes.c_int16, "i8": ctypes.c_int8,
        "fp32": ctypes.c_float, "fp64": ctypes.c_double}


class Kernel:
    """A loaded kernel."""

    MAX_DYNAMIC_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES

    def __init__(self, compiler, path, kernel, arguments, constants, num_warps):
        self.image, self.metadata = compiler.compile(path, kernel, arguments, constants, num_warps)
        module = ctypes.c_void_p()
        check_cuda(cuda.cuModuleLoadData(ctypes.byref(module), self.image), "cuModuleLoadData")
        self.function = ctypes.c_void_p()
        check_cuda(cuda.cuModuleGetFunction(ctypes.byref(self.function), module, kernel.encode()),
                   "cuModuleGetFunction")
        # The parameters that are left at run time, in their order.
        self.types = {a["name"]: a["type"] for a in self.metadata["arguments"]}
        self.threads = self.metadata["threadsPerCta"]
        self.shared = self.metadata["dynamicSharedBytes"]
        if self.shared > 48 * 1024:
            check_cuda(cuda.cuFuncSetAttribute(self.function, self.MAX_DYNAMIC_SHARED, self.shared),
                       "cuFuncSetAttribute")

    def launcher(self, grid, **values):
        """A function that launches with these arguments; they are packed once."""
        packed = []
        for name, kind in self.types.items():
            value = values[name]
            packed.append(ctypes.c_uint64(value.data_ptr()) if kind.startswith("*") else PACK[kind](value))
        pointers = (ctypes.c_void_p * max(1, len(packed)))(*[ctypes.addressof(p) for p in packed])
        grid = tuple(grid) + (1,) * (3 - len(grid))

        def launch(keep=packed):
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            check_cuda(cuda.cuLaunchKernel(self.function, *grid, self.threads, 1, 1, self.shared, stream, pointers,
                                           None), "cuLaunchKernel")
        return launch
