# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# libtilec.so from Python, for measurements: compile a kernel to a cubin through the C ABI, load it with the CUDA
# driver, launch it on torch's tensors and stream. Compiling needs neither a GPU nor PyTorch.

import ctypes
import json
import os
import subprocess
import tempfile

PTX, CUBIN = 6, 7  # TILEC_STAGE_PTX, TILEC_STAGE_CUBIN
PERSISTENT = 256  # TILEC_COMPILE_PERSISTENT


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
                ("libdevice", ctypes.c_char_p), ("cache", ctypes.c_void_p), ("import_roots", ctypes.c_void_p),
                ("num_import_roots", ctypes.c_size_t), ("modules", ctypes.c_void_p), ("num_modules", ctypes.c_size_t),
                ("max_registers", ctypes.c_int32), ("tuning_database", ctypes.c_char_p),
                ("tuning_device", ctypes.c_char_p), ("tuning_sizes", ctypes.POINTER(Binding)),
                ("num_tuning_sizes", ctypes.c_size_t), ("warnings", ctypes.c_void_p),
                ("num_warnings", ctypes.c_size_t), ("max_steps", ctypes.c_uint64), ("max_ops", ctypes.c_uint64),
                ("max_unroll", ctypes.c_uint64), ("num_ctas", ctypes.c_int32), ("split_k", ctypes.c_int32)]


def bindings(values):
    array = (Binding * max(1, len(values)))()
    for slot, (name, text) in zip(array, values.items()):
        slot.name, slot.text = name.encode(), str(text).encode()
    return array


class CommandLine:
    """The same by the program tilec, a process for each kernel."""

    def __init__(self, program):
        self.program = program

    def compile(self, path, kernel, arguments, constants, num_warps, num_stages=0, target="sm_90a", stage=CUBIN,
                num_ctas=1, split_k=1, persistent=False):
        with tempfile.TemporaryDirectory() as folder:
            image = os.path.join(folder, "image")
            command = [self.program, "compile", path, "--kernel", kernel, "--target", target, "--num-warps", str(num_warps),
                       "--emit", "cubin" if stage == CUBIN else "ptx", "-o", image]
            command += ["--num-stages", str(num_stages)] if num_stages else []
            command += ["--num-ctas", str(num_ctas)] if num_ctas > 1 else []
            command += ["--split-k", str(split_k)] if split_k > 1 else []
            command += ["--persistent"] if persistent else []
            for option, values in (("--arg", arguments), ("--const", constants)):
                for name, text in values.items():
                    command += [option, f"{name}={text}"]
            run = subprocess.run(command, capture_output=True, text=True, check=False)
            if run.returncode != 0:
                raise RuntimeError(f"tilec: exit code {run.returncode}: {run.stderr}")
            with open(image, "rb") as file, open(image + ".json") as metadata:
                return file.read(), json.load(metadata)


class Compiler:
    """One compiler of a libtilec.so."""

    def __init__(self, library):
        self.lib = ctypes.CDLL(library)
        for name in ("tilec_diagnostics_text", "tilec_kernel_metadata", "tilec_kernel_ptx", "tilec_last_error"):
            getattr(self.lib, name).restype = ctypes.c_char_p
        self.lib.tilec_kernel_cubin.restype = ctypes.c_void_p
        self.handle = ctypes.c_void_p()
        self.check(self.lib.tilec_compiler_create(ctypes.byref(self.handle)), None)

    def check(self, status, diagnostics):
        if status != 0:
            text = self.lib.tilec_diagnostics_text(diagnostics) if diagnostics else self.lib.tilec_last_error()
            raise RuntimeError(f"libtilec: status {status}: {(text or b'').decode()}")

    def compile(self, path, kernel, arguments, constants, num_warps, num_stages=0, target="sm_90a", stage=CUBIN,
                num_ctas=1, split_k=1, persistent=False):
        """The image, a cubin or PTX, and the metadata of one kernel; with no stages given, as many as the source says."""
        kinds, values = bindings(arguments), bindings(constants)
        options = Options(ctypes.sizeof(Options), kernel.encode(), target.encode(), kinds, len(arguments), values,
                          len(constants), num_warps, num_stages, PERSISTENT if persistent else 0, stage, 0, None,
                          os.environ.get("CUDA_HOME", "/usr/local/cuda").encode(),
                          os.environ.get("PATH", "").encode(), num_ctas=num_ctas, split_k=split_k)
        made, diagnostics = ctypes.c_void_p(), ctypes.c_void_p()
        status = self.lib.tilec_compile_file(self.handle, path.encode(), ctypes.byref(options), ctypes.byref(made),
                                             ctypes.byref(diagnostics))
        try:
            self.check(status, diagnostics)
        finally:
            self.lib.tilec_diagnostics_destroy(diagnostics)
        if stage == PTX:
            image = self.lib.tilec_kernel_ptx(made) + b"\0"
        else:
            size = ctypes.c_size_t()
            image = ctypes.string_at(self.lib.tilec_kernel_cubin(made, ctypes.byref(size)), size.value)
        metadata = json.loads(self.lib.tilec_kernel_metadata(made).decode())
        self.lib.tilec_kernel_destroy(made)
        return image, metadata


class Driver:
    """The CUDA driver, loaded when it is first called."""

    def __getattr__(self, name):
        if "library" not in self.__dict__:
            self.library = ctypes.CDLL("libcuda.so.1")
        return getattr(self.library, name)


cuda = Driver()


def check_cuda(result, what):
    if result != 0:
        text = ctypes.c_char_p()
        cuda.cuGetErrorName(result, ctypes.byref(text))
        raise RuntimeError(f"{what}: {text.value.decode() if text.value else result}")


PACK = {"i64": ctypes.c_int64, "i32": ctypes.c_int32, "i16": ctypes.c_int16, "i8": ctypes.c_int8,
        "fp32": ctypes.c_float, "fp64": ctypes.c_double}


MAP_TYPES = {"i8": (0, 1), "i16": (1, 2), "i32": (3, 4), "i64": (5, 8), "fp16": (6, 2), "fp32": (7, 4), "fp64": (8, 8),
             "bf16": (9, 2)}
SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}


def compute(expression, values):
    """An expression of a tensor map: postfix notation, %N is argument N."""
    stack = []
    for word in expression.split():
        if word in ("+", "-", "*", "/", ">"):
            right, left = stack.pop(), stack.pop()
            stack.append({"+": left + right, "-": left - right, "*": left * right,
                          "/": int(left / right) if right else 0, ">": max(left, right)}[word])
        else:
            stack.append(values[int(word[1:])] if word[0] == "%" else int(word))
    return stack[0]


def tensor_map(info, values):
    """A CUtensorMap in memory that is aligned for it, from a kernel's `tensorMaps` entry and its arguments' values."""
    kind, element = MAP_TYPES.get(info["elementType"], (0, 1))  # 8-bit floats are bytes
    sizes = [compute(text, values) for text in reversed(info["shape"])]
    strides = [compute(text, values) * element for text in reversed(info["strides"])]
    rank = len(sizes)
    memory = ctypes.create_string_buffer(128 + 64)
    address = (ctypes.addressof(memory) + 63) // 64 * 64
    check_cuda(cuda.cuTensorMapEncodeTiled(
        ctypes.c_void_p(address), kind, rank, ctypes.c_void_p(values[info["base"]]), (ctypes.c_uint64 * rank)(*sizes),
        (ctypes.c_uint64 * max(1, rank - 1))(*strides), (ctypes.c_uint32 * rank)(*reversed(info["box"])),
        (ctypes.c_uint32 * rank)(*[1] * rank), 0, SWIZZLES[info["swizzleBytes"]], 2, int(info["fillsNan"])),
        "cuTensorMapEncodeTiled")
    return memory, address


class Kernel:
    """A loaded kernel."""

    MAX_DYNAMIC_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES

    def __init__(self, image, metadata):
        """From a cubin or PTX, which the driver compiles, and its metadata."""
        self.image, self.metadata = image, metadata
        module = ctypes.c_void_p()
        check_cuda(cuda.cuModuleLoadData(ctypes.byref(module), self.image), "cuModuleLoadData")
        self.function = ctypes.c_void_p()
        check_cuda(cuda.cuModuleGetFunction(ctypes.byref(self.function), module, metadata["name"].encode()),
                   "cuModuleGetFunction")
        # The parameters that are left at run time, in their order.
        self.types = {a["name"]: a["type"] for a in self.metadata["arguments"]}
        self.threads = self.metadata["threadsPerCta"]
        self.shared = self.metadata["dynamicSharedBytes"]
        if self.shared > 48 * 1024:
            check_cuda(cuda.cuFuncSetAttribute(self.function, self.MAX_DYNAMIC_SHARED, self.shared),
                       "cuFuncSetAttribute")
        self.cluster = metadata.get("clusterX", 1)
        self.split = metadata.get("splitK", 1)  # CTAs of a program
        self.resident = self.count_resident() if metadata.get("persistent") else 0

    def count_resident(self):
        """CTAs that fit on the device at once, in whole clusters."""
        import torch
        blocks = ctypes.c_int()
        check_cuda(cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor(
            ctypes.byref(blocks), self.function, self.threads, ctypes.c_size_t(self.shared)),
            "cuOccupancyMaxActiveBlocksPerMultiprocessor")
        resident = max(1, blocks.value) * torch.cuda.get_device_properties().multi_processor_count
        return max(resident // self.cluster, 1) * self.cluster

    def launcher(self, grid, **values):
        """A function that launches with these arguments; they are packed once."""
        import torch
        packed, numbers = [], []
        for name, kind in self.types.items():
            value = values[name]
            numbers.append(value.data_ptr() if kind.startswith("*") else value)
            packed.append(ctypes.c_uint64(value.data_ptr()) if kind.startswith("*") else PACK[kind](value))
        # Tensor maps follow the arguments.
        maps = [tensor_map(info, numbers) for info in self.metadata.get("tensorMaps", [])]
        addresses = [ctypes.addressof(p) for p in packed] + [address for _, address in maps]
        grid = tuple(grid) + (1,) * (3 - len(grid))
        programs = (ctypes.c_uint32 * 3)(*grid)
        counter = None
        grid = (grid[0] * self.split, *grid[1:])
        if self.resident:
            addresses += [ctypes.addressof(programs) + 4 * axis for axis in range(3)]
            if self.metadata.get("programCounter"):
                counter = torch.zeros(1, dtype=torch.int32, device="cuda")
                packed.append(ctypes.c_uint64(counter.data_ptr()))
                addresses.append(ctypes.addressof(packed[-1]))
            whole = -(-grid[0] * grid[1] * grid[2] // self.cluster) * self.cluster
            grid = (min(whole, self.resident), 1, 1)
        pointers = (ctypes.c_void_p * max(1, len(addresses)))(*addresses)

        def launch(keep=(packed, maps, programs, counter)):
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            check_cuda(cuda.cuLaunchKernel(self.function, *grid, self.threads, 1, 1, self.shared, stream, pointers,
                                           None), "cuLaunchKernel")
        return launch
