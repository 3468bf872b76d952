# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The lit configuration: `lit -sv build/test` runs every test. Text tests live beside this file in folders named as in
# lib/ and dialects/. unit/ (GoogleTest binaries) and examples/ (the programs of the top folder) are suites of their
# own; both load this file first.
#
# Environment: TILEC_CHECK_ROUNDTRIP=1 adds --verify-roundtrip to every tile-opt run; TILEC_PTXAS names ptxas.

import ctypes
import os
import shutil
import subprocess
import sys

import lit.formats

config.name = "tilec"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".tile", ".test"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.tilec_binary_dir, "test")
# fuzz/ and lib/ hold sources, Inputs/ what tests read.
config.excludes = ["fuzz", "lib", "Inputs", "CMakeLists.txt"]

# tilec, tile-opt, FileCheck, not, split-file and count are found on this path.
binaries = os.path.join(config.tilec_binary_dir, "bin")
config.environment["PATH"] = os.pathsep.join(
    [binaries, config.llvm_bindir, config.environment.get("PATH", "")]
)
# lit gives tests a clean environment; these say where the machine's tools and caches are.
for name in ["TILEC_PTXAS", "CUDA_HOME", "HOME", "XDG_CACHE_HOME",
             "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"]:
    if name in os.environ:
        config.environment[name] = os.environ[name]

# Tests compile, unless they are about the cache.
config.environment["TILEC_NO_CACHE"] = "1"

config.substitutions += [
    ("%tilec_src", config.tilec_source_dir),
    ("%tilec_build", config.tilec_binary_dir),
    ("%python", sys.executable),
]
if os.environ.get("TILEC_CHECK_ROUNDTRIP") == "1":
    # Not twice in one line: the option may occur once.
    config.substitutions.append(
        (r"(?<![\w/-])tile-opt(?![\w/-])(?!.*--verify-roundtrip)", "tile-opt --verify-roundtrip")
    )


def find_ptxas():
    """The compiler's places, in its order: TILEC_PTXAS, CUDA_HOME, PATH, the usual install folder."""
    candidates = [os.environ.get("TILEC_PTXAS")]
    if "CUDA_HOME" in os.environ:
        candidates.append(os.path.join(os.environ["CUDA_HOME"], "bin", "ptxas"))
    candidates += [shutil.which("ptxas"), "/usr/local/cuda/bin/ptxas"]
    return next((path for path in candidates if path and os.access(path, os.X_OK)), None)


def has_cuda_device():
    """True when the CUDA driver loads and sees a device."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    count = ctypes.c_int(0)
    found = driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0
    return found and count.value > 0


def note_once(text):
    """A note, for the first of the suites that find its reason."""
    notes = lit_config.params.setdefault("tilec_notes", [])
    if text not in notes:
        notes.append(text)
        lit_config.note(text)


if any(shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome")):
    config.available_features.add("chromium")
else:
    note_once("no chromium: the pages of 'tilec explain' are not opened")

ptxas = find_ptxas()
if ptxas:
    config.available_features.add("ptxas")
    config.environment["TILEC_PTXAS"] = ptxas
    # Beside it, or where programs are: the compiler's places.
    if os.access(os.path.join(os.path.dirname(ptxas), "nvdisasm"), os.X_OK) or shutil.which("nvdisasm"):
        config.available_features.add("nvdisasm")
else:
    note_once("no ptxas: tests that assemble PTX are skipped")
# Of a checkout with a history, as what changed is what is checked.
if shutil.which("clang-tidy-22") and os.path.exists(os.path.join(config.tilec_source_dir, ".git")):
    config.available_features.add("clang-tidy")
else:
    note_once("no clang-tidy-22 or no git checkout: what changed is not linted")
if has_cuda_device():
    config.available_features.add("cuda-driver")
else:
    note_once("no CUDA device: tests that run on a GPU are skipped")


def has_python_package():
    """Whether the package was built and can be imported here: not with a sanitizer, which Python would have to load."""
    module = os.path.join(config.tilec_binary_dir, "python", "tilec", "_native.abi3.so")
    if not os.path.exists(module):
        return False
    program = "import numpy, pytest, tilec"
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(module))}
    return subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True).returncode == 0


#: A Python with a PyTorch for CUDA that has the stable interface.
torch_python = os.environ.get("TILEC_TORCH_PYTHON", sys.executable)


def find_torch():
    """The folder of that Python's PyTorch, or None."""
    program = "import importlib.util, os; print(os.path.dirname(importlib.util.find_spec('torch').origin))"
    found = subprocess.run([torch_python, "-c", program], capture_output=True, text=True)
    needed = ("include/torch/csrc/stable/library.h", "lib/libtorch_cuda.so")
    folder = found.stdout.strip()
    return folder if found.returncode == 0 and all(os.path.exists(os.path.join(folder, name)) for name in needed) else None


torch = find_torch()
if torch:
    config.available_features.add("torch")
    config.substitutions += [("%torch-python", torch_python), ("%torch", torch)]
else:
    note_once("no PyTorch for CUDA: its operator is not built; TILEC_TORCH_PYTHON is a Python that has it")


if has_python_package():
    config.available_features.add("python-package")
else:
    note_once("no Python package, NumPy or pytest: the package's tests are skipped")
