# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that are written for Triton, without Triton: programs/*.py run in processes that cannot import it."""

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig

import pytest

PROGRAMS = pathlib.Path(__file__).parent / "programs"

#: What hides an installed Triton: a finder, and an entry that says that there is none.
FINDER = """
import sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "triton":
            raise ModuleNotFoundError("No module named 'triton'", name=name)
sys.meta_path.insert(0, Finder())
"""
ENTRY = "import sys\nsys.modules['triton'] = None\n"
INSTALL = """
try:
    import triton
except ModuleNotFoundError:
    pass
else:
    raise SystemExit("Triton is not hidden")
import tilec.standin
tilec.standin.install()
"""
RUN = "import runpy\nrunpy.run_path(sys.argv[1], run_name='__main__')\n"

HAS_TORCH = importlib.util.find_spec("torch") is not None


def run(code, *args):
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run([sys.executable, "-c", code, *args], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("program", sorted(PROGRAMS.glob("*.py")), ids=lambda path: path.stem)
def test_program(program):
    if "import torch" in program.read_text() and not HAS_TORCH:
        pytest.skip("needs torch")
    assert "ok" in run(FINDER + INSTALL + RUN, str(program))


@pytest.mark.parametrize("hidden", [FINDER, ENTRY], ids=["finder", "entry"])
def test_install_and_uninstall(hidden):
    run(hidden + INSTALL + """
import triton, triton.language as tl, tilec, tilec.language
assert tilec.standin.install() is triton and tilec.standin.is_installed()
assert tl is tilec.language and triton.language is tl and triton.jit is tilec.jit
import triton.language.math, triton.language.core
assert triton.language.core is tilec.language.core and tl.math is triton.language.math
tilec.standin.uninstall()
assert "triton" not in sys.modules and not tilec.standin.is_installed()
""")


def test_names():
    run(FINDER + INSTALL + """
from triton import cdiv, jit, next_power_of_2, set_allocator, JITFunction, KernelInterface, MockTensor, OutOfResources
from triton.language import core, float16, tensor
from triton.language.core import _aggregate, builtin, constexpr, extern
from triton.language.extra import libdevice
from triton.language.extra.cuda import globaltimer, libdevice as again
from triton.language.extra.cuda.libdevice import tanh
from triton.language.extra.libdevice import rint
from triton.language.math import exp
from triton.language.random import rand
from triton.language.standard import cumsum
from triton.language.target_info import cuda_capability_geq
from triton.compiler import CompilationError, CompiledKernel
from triton.compiler.errors import CompileTimeAssertionFailure
from triton.errors import TritonError
from triton.runtime import driver, JITFunction as same
from triton.runtime.errors import OutOfResources as Out
from triton.runtime.jit import constexpr_function, reinterpret
from triton.tools.tensor_descriptor import TensorDescriptor
from triton.backends.compiler import GPUTarget
import triton, tilec
import triton.language.extra.cuda.libdevice as third
assert again is libdevice is third and same is JITFunction is tilec.JITFunction
assert TensorDescriptor is tilec.TensorDescriptor and CompilationError is tilec.CompilationError
assert issubclass(JITFunction, KernelInterface) and issubclass(Out, TritonError) and Out is OutOfResources
assert triton.cdiv(7, 2) == 4 and triton.next_power_of_2(5) == 8 and triton.__version__ == "3.9.0"
assert triton.set_allocator(lambda size, alignment, stream: None) is None
try:
    triton.does_not_exist
except AttributeError as error:
    assert "stand-in" in str(error)
""")


def test_driver():
    run(FINDER + INSTALL + """
import triton
active = triton.runtime.driver.active
assert active.get_current_target() == ("cuda", 90, 32) and active.get_device_capability() == (9, 0)
properties = active.utils.get_device_properties(active.get_current_device())
assert properties["multiprocessor_count"] > 0 and properties["max_shared_mem"] > 0
assert properties["warpSize"] == 32 and properties["max_num_regs"] == 65536
triton.runtime.driver.set_active(None)
triton.runtime.driver.reset_active()
assert triton.runtime.driver.active is active
""")


def test_knobs():
    run(FINDER + INSTALL + """
import triton
triton.knobs.compilation.always_compile = True
triton.knobs.runtime.anything = 1
with triton.knobs.runtime.scope():
    triton.knobs.runtime.debug = True
assert not triton.knobs.runtime.debug and triton.knobs.runtime.anything == 1
assert not triton.knobs.compilation.reset().always_compile
""")


def test_names_of_libraries():
    run(FINDER + INSTALL + """
import triton, tilec
from triton import aggregate, compile, max_shared_mem, must_use_result, AsyncCompileMode, FutureKernel, InterpreterError
from triton.backends import backends
from triton.backends.compiler import BaseBackend
from triton.backends.driver import DriverBase
from triton.compiler import ASTSource, IRSource, LazyDict, make_backend
from triton.language.extra import hip
from triton.language.extra.cuda.gdc import gdc_wait
from triton.language.extra.cuda.utils import smid
from triton.language.extra.hip import libdevice
from triton.runtime import build, cache
from triton.runtime.autotuner import Autotuner, PTXASError
from triton.runtime.errors import AutotunerError, PTXASError as same
from triton.runtime.jit import ConstexprFunction, JITCallable, JitFunctionInfo, KernelParam, get_full_name
from triton.tools.experimental_descriptor import create_2d_tma_descriptor
from triton.tools.mxfp import MXFP4Tensor, MXScaleTensor
import triton.language.core as core
assert aggregate is core._aggregate is tilec.aggregate and must_use_result is core.must_use_result
assert libdevice is triton.language.extra.libdevice and PTXASError is same and "nvidia" in backends
error = PTXASError("no such instruction")
assert str(error) == error.error_message == "no such instruction" and isinstance(error, triton.TritonError)
assert max_shared_mem(0) == 227 * 1024
for call, text in [(lambda: make_backend(None), "no back ends"), (lambda: IRSource("a.ttir"), "Triton's stages"),
                   (lambda: create_2d_tma_descriptor(0, 1, 2, 3, 4, 5), "TensorDescriptor.from_tensor"),
                   (lambda: triton.runtime.driver.active.launcher_cls(None, None), "no launchers")]:
    try:
        call()
    except RuntimeError as error:
        assert text in str(error), error
    else:
        raise SystemExit(text)
""")


#: Modules of Triton whose names programs use, with those that the stand-in has not: they are of back ends and of
#: caches on other machines.
PUBLIC = {
    "triton": set(),
    "triton.language": {"async_task"},
    "triton.language.extra.cuda": {"convert_custom_float8_sm70", "convert_custom_float8_sm80"},
    "triton.runtime": {"RedisRemoteCacheBackend", "RemoteCacheBackend"},
    "triton.compiler": {"get_cache_key"},
    "triton.testing": {"cublas"},
    "triton.tools.tensor_descriptor": set(),
    "triton.tools.mxfp": set(),
    "triton.runtime.errors": set(),
    "triton.knobs": set(),
}


@pytest.mark.parametrize("module", PUBLIC)
def test_names_of_an_installed_triton(module):
    pytest.importorskip("triton")
    import importlib
    import inspect

    if module == "triton.tools.mxfp":
        pytest.importorskip("torch")
    theirs = importlib.import_module(module)
    names = getattr(theirs, "__all__", None) or [
        name for name, value in vars(theirs).items()
        if not name.startswith("_") and getattr(value, "__module__", module) == module and not inspect.ismodule(value)]
    names = set(names) - PUBLIC[module]
    if module == "triton.knobs":
        # The groups; the classes of knobs are Triton's own.
        names = {name for name in names if isinstance(getattr(theirs, name), theirs.base_knobs)} | {"HookChain", "refresh_knobs"}
    missing = run(FINDER + INSTALL + f"""
import importlib
module = importlib.import_module({module!r})
print(*sorted(name for name in {sorted(names)} if not hasattr(module, name)))
""")
    assert missing.split() == []


HOOKED = FINDER + INSTALL + """
import json, linecache
import numpy as np
import triton, triton.language as tl
TEXT = '''
@triton.jit(launch_metadata=lambda grid, metadata, arguments: {"grid": grid, "n": arguments["n"], "B": arguments["BLOCK"]})
def plus(x, n, BLOCK: tl.constexpr = 16):
    o = tl.arange(0, BLOCK)
    tl.store(x + o, tl.load(x + o, mask=o < n) + 1, mask=o < n)

@triton.jit
def sums(out, pair, BLOCK: tl.constexpr, T: tl.constexpr):
    tl.store(out, (pair[0] + pair[1][0]).to(T) * BLOCK)
'''
linecache.cache["<kernels>"] = (len(TEXT), None, TEXT.splitlines(True), "<kernels>")
exec(compile(TEXT, "<kernels>", "exec"))
runtime = triton.knobs.runtime
x = np.zeros(16, np.int32)
seen = []
"""


def test_hooks_of_launches():
    run(HOOKED + """
from tilec import _hooking
plus[(1, )](x, 16)
runtime.launch_enter_hook.add(lambda metadata: seen.append(("enter", metadata.get(), int(x[0]))))
runtime.launch_exit_hook.add(lambda metadata: seen.append(("exit", metadata.get(), int(x[0]))))
runtime.kernel_load_start_hook.add(lambda module, function, name, group, hash: seen.append(("load", name, hash)))
runtime.kernel_load_end_hook.add(lambda module, function, name, group, hash: seen.append(("loaded", name, function)))
plus[lambda meta: (meta["BLOCK"] // 8, 1)](x, 16, num_warps=2)
assert [entry[0] for entry in seen] == ["load", "loaded", "enter", "exit"], seen
assert seen[0][1] == "plus" and seen[1][2] is None and [entry[2] for entry in seen[2:]] == [1, x[0]]
facts = seen[2][1]
assert facts["name"] == "plus" and facts["grid"] == (2, 1) and facts["n"] == 16 and facts["B"] == 16, facts
for chain in (runtime.launch_enter_hook, runtime.launch_exit_hook, runtime.kernel_load_start_hook,
              runtime.kernel_load_end_hook):
    for hook in list(chain.calls):
        chain.remove(hook)
plus[(1, )](x, 16)
assert len(seen) == 4 and _hooking.launch is None and "the stand-in's hooks" not in _hooking._reasons
runtime.launch_enter_hook = lambda metadata: seen.append(metadata.get()["name"])
plus[(1, )](x, 16)
assert seen[-1] == "plus"
runtime.launch_enter_hook = None
plus[(1, )](x, 16)
assert len(seen) == 5
tilec.standin.uninstall()
assert _hooking.launch is None
""")


def test_hooks_of_compilations():
    run(HOOKED + """
runtime.jit_cache_hook = lambda **information: seen.append(("before", information)) and None
runtime.jit_post_compile_hook = lambda **information: seen.append(("after", information))
plus[(1, )](x, 15, num_warps=8)
plus[(1, )](x, 14, num_warps=8)
assert [call[0] for call in seen] == ["before", "after"], seen
information = seen[0][1]
assert information["fn"].name == "plus" and information["fn"].jit_function is plus
assert not information["is_manual_warmup"] and not information["already_compiled"]
compilation = information["compile"]
assert compilation["num_warps"] == 8 and compilation["signature"] == {"x": "*i32", "n": "i32", "BLOCK": "constexpr"}
assert compilation["key"] == information["key"] and "plus[num_warps=8" in information["repr"]
plus.warmup(x, 1, grid=(1, ))
assert seen[2][1]["compile"]["is_warmup"]
# What the hook was told compiles the same in another function.
again = triton.jit(plus.fn)
compiled = again.preload(compilation["specialization_data"])
del seen[:]
assert again[(1, )](x, 15, num_warps=8) is compiled and not seen
sums[(1, )](x, (4, (5, tl.constexpr(7))), BLOCK=3, T=tl.int32)
assert x[0] == 27
third = triton.jit(sums.fn)
compiled = third.preload(seen[0][1]["compile"]["specialization_data"])
assert third[(1, )](x, (4, (5, tl.constexpr(7))), BLOCK=3, T=tl.int32) is compiled
try:
    plus.preload(seen[0][1]["compile"]["specialization_data"])
except RuntimeError as error:
    assert "not of" in str(error)
# One that wants no code.
runtime.jit_cache_hook = lambda **information: True
assert triton.jit(plus.fn)[(1, )](x, 16) is None and x[0] == 27
""")


def test_knobs_with_an_effect():
    run(HOOKED + """
import warnings, tilec
from triton import knobs
assert tl.dtype is tilec.language.dtype
first = plus[(1, )](x, 16)
with knobs.compilation.scope():
    knobs.compilation.disable_line_info = True
    assert plus[(1, )](x, 16) is not first
    assert tilec._hooking.compile_flags == 2
assert tilec._hooking.compile_flags == 0
knobs.runtime.debug = True
knobs.language.default_fp_fusion = False
assert tilec._hooking.compile_flags == 5
knobs.runtime.reset()
assert tilec._hooking.compile_flags == 4
for group, name in ((knobs.runtime, "add_stages_inspection_hook"), (knobs.compilation, "listener"), (knobs.build, "impl")):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        setattr(group, name, lambda *args: None)
        setattr(group, name, None)
        group.something = 1
    assert len(caught) == 1 and f"{name} has no effect with tilec" in str(caught[0].message), caught
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    knobs.runtime.kernel_unload_hook.add(print)
assert len(caught) == 1 and "kernels stay loaded" in str(caught[0].message)
knobs.language.force_disable_fp_fusion = True
knobs.language.default_fp_fusion = True
assert tilec._hooking.compile_flags == 4
assert knobs.nvidia.ptxas is None and knobs.amd.use_buffer_ops and not knobs.proton.disable and knobs.cache.dir
assert "print" in knobs.autotuning.knobs
tilec.standin.uninstall()
assert tilec._hooking.compile_flags == 0
""")


def test_knobs_of_the_environment(monkeypatch):
    monkeypatch.setenv("TRITON_DEBUG", "1")
    monkeypatch.setenv("TRITON_PRINT_AUTOTUNING", "1")
    run(HOOKED + """
import tilec.tuner
assert triton.knobs.runtime.debug and tilec._hooking.compile_flags == 1 and tilec.tuner.print_autotuning
triton.knobs.autotuning.print = False
assert not tilec.tuner.print_autotuning
""")


def test_compile():
    run(HOOKED + """
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, CompiledKernel
source = ASTSource(plus, {"x": "*i32", "n": "i32", "BLOCK": "constexpr"}, {"BLOCK": 32}, {(0, ): [["tt.divisibility", 16]]})
compiled = triton.compile(source, GPUTarget("cuda", 80, 32), {"num_warps": 2})
assert isinstance(compiled, CompiledKernel) and ".target sm_80" in compiled.asm["ptx"] and compiled.metadata.num_warps == 2
assert compiled.metadata.name == "plus" and "tile." in compiled.asm["tile"]
assert ".target sm_90a" in triton.compile(source).asm["ptx"]
assert source.hash() != ASTSource(plus, source.signature, {"BLOCK": 64}).hash()
compiled[(1, )](x, 16, BLOCK=32)
assert (x == 1).all()
nested = ASTSource(sums, {"out": "*i32", "pair": ("i32", ("i32", "constexpr"))}, {(1, 1, 1): 7, "BLOCK": 3, "T": tl.int32})
assert triton.compile(nested, GPUTarget("cuda", 90, 32)).asm["ptx"]
for make, error, text in [(lambda: ASTSource(plus, {"y": "i32"}), ValueError, "no parameter 'y'"),
                          (lambda: triton.compile("plus"), TypeError, "takes an ASTSource"),
                          (lambda: triton.compile(source, None, {"nothing": 1}), KeyError, "no option"),
                          (lambda: triton.compile(source, GPUTarget("hip", 90, 64)), triton.CompilationError, "hip")]:
    try:
        make()
    except error as found:
        assert text in str(found), found
    else:
        raise SystemExit(text)
""")


def test_compilations_in_other_threads():
    run(HOOKED + """
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(2) as executor, triton.AsyncCompileMode(executor):
    futures = [plus.warmup(x, 16, BLOCK=block, grid=(1, )) for block in (8, 16, 32)]
    assert all(isinstance(future, triton.FutureKernel) for future in futures)
    plus[(1, )](x, 16)
assert x[0] == 1 and plus.warmup(x, 16, BLOCK=8, grid=(1, )) is futures[0].result()
try:
    with ThreadPoolExecutor(2) as executor, triton.AsyncCompileMode(executor):
        plus.warmup(x, 16, BLOCK="wrong", grid=(1, ))
except triton.CompilationError:
    pass
else:
    raise SystemExit("no error")
with ThreadPoolExecutor(2) as executor, triton.AsyncCompileMode(executor, ignore_errors=True):
    future = plus.warmup(x, 16, BLOCK="wrong", grid=(1, ))
assert future.result(ignore_errors=True) is None
""")


def test_files_of_the_cache(tmp_path):
    run(FINDER + INSTALL + f"""
import os
import triton
from triton.runtime.cache import get_cache_manager, triton_key
triton.knobs.cache.dir = {str(tmp_path)!r}
cache = get_cache_manager("ab12")
assert cache.get_file("a.txt") is None and cache.get_group("all") is None
path = cache.put("text", "a.txt", binary=False)
assert open(path).read() == "text" and cache.get_file("a.txt") == path and path.startswith({str(tmp_path)!r})
assert open(cache.put(b"bytes", "b.bin"), "rb").read() == b"bytes"
cache.put_group("all", {{"a.txt": path, "gone": path + ".gone"}})
assert get_cache_manager("ab12").get_group("all") == {{"a.txt": path}}
assert get_cache_manager("../x").put("y", "z").startswith({str(tmp_path)!r}) and "tilec" in triton_key()
""")


@pytest.mark.skipif(not shutil.which("cc"), reason="needs a C compiler")
def test_modules_in_c(tmp_path):
    header = os.path.join(sysconfig.get_paths()["include"], "Python.h")
    if not os.path.exists(header):
        pytest.skip("needs Python's headers")
    run(FINDER + INSTALL + f"""
import triton
from triton.runtime.build import compile_module_from_src
triton.knobs.cache.dir = {str(tmp_path)!r}
TEXT = '''
#include <Python.h>
static PyObject *answer(PyObject *self, PyObject *args) {{ return PyLong_FromLong(42); }}
static PyMethodDef methods[] = {{{{"answer", answer, METH_NOARGS, ""}}, {{NULL, NULL, 0, NULL}}}};
static struct PyModuleDef module = {{PyModuleDef_HEAD_INIT, "questions", NULL, -1, methods}};
PyMODINIT_FUNC PyInit_questions(void) {{ return PyModule_Create(&module); }}
'''
assert compile_module_from_src(TEXT, "questions").answer() == 42
assert compile_module_from_src(TEXT, "questions").answer() == 42
try:
    compile_module_from_src("int x = ;", "wrong")
except RuntimeError as error:
    assert "expected" in str(error)
""")


def test_rates_of_machines():
    run(FINDER + INSTALL + """
import triton, triton.language as tl, tilec.testing
from triton.testing import get_dram_gbps, get_max_simd_tflops, get_max_tensorcore_tflops
assert 3300 < get_dram_gbps() < 3400
# An H100 has 132 multiprocessors, the simulator 8.
half = get_max_tensorcore_tflops(tl.float16, 1830e3) / 8 * 132
assert 985 < half < 995 and get_max_tensorcore_tflops("torch.float8_e5m2", 1830e3) / 8 * 132 == 2 * half
assert get_max_tensorcore_tflops(tl.float32, 1830e3) / 8 * 132 == half / 2
assert 60 < get_max_simd_tflops(tl.float32, 1980e3) / 8 * 132 < 70
for function in (get_max_simd_tflops, get_max_tensorcore_tflops):
    try:
        function(tl.float64, 1e6)
    except RuntimeError:
        continue
    raise SystemExit("no error")
assert triton.testing.do_bench is tilec.testing.do_bench
active = triton.runtime.driver.active
cache = active.get_empty_cache_for_benchmark()
active.clear_cache(cache)
assert [active.map_python_to_cpp_type(kind) for kind in ("*fp16", "i1", "u1", "u32", "i64", "bf16")] == [
    "CUdeviceptr", "int8_t", "uint8_t", "uint32_t", "int64_t", "double"]
assert triton.testing.cuda_memcheck(a=1)(len) is len
""")


@pytest.mark.skipif(not HAS_TORCH, reason="needs torch")
def test_numbers_of_4_bits():
    run(FINDER + INSTALL + """
import torch, triton
from triton.tools.mxfp import MXFP4Tensor, MXScaleTensor
numbers = torch.tensor([0.0, 0.5, -1.0, 1.5, 2.0, -3.0, 4.0, 6.0])
made = MXFP4Tensor(data=numbers)
assert made.data.tolist() == [0, 1, 10, 3, 4, 13, 6, 7] and (made.to(torch.float16) == numbers.half()).all()
# To the nearest, and halfway to the even one.
rounded = MXFP4Tensor(data=torch.tensor([0.2, 0.25, 0.75, 1.25, 2.5, -5.0, 100.0, 3.6])).to(torch.float32)
assert rounded.tolist() == [0, 0, 1, 1, 2, -4, 6, 4], rounded
for shape, dim in (((4, 6), 0), ((4, 6), 1), ((3, 5), 1), ((2, 3, 4), 1)):
    random = MXFP4Tensor(size=shape, device="cpu").random()
    packed = random.to_packed_tensor(dim)
    assert packed.shape[dim] == (shape[dim] + 1) // 2 and packed.dtype == torch.uint8
    assert (random.unpack_packed_tensor(packed, dim, shape) == random.data).all()
scales = MXScaleTensor(data=torch.tensor([1.0, 2.0, 0.5, 3.0, float("nan"), -1.0]))
assert scales.data.tolist() == [127, 128, 126, 128, 255, 255]
assert scales.to(torch.float32)[:4].tolist() == [1, 2, 0.5, 2] and scales.to(torch.float32)[4:].isnan().all()
some = MXScaleTensor(size=(1000, )).random(low=0.25, high=8.0).to(torch.float32)
assert some.min() >= 0.25 and some.max() <= 8 and len(some.unique()) == 6
""")


def test_triton_that_was_imported_stays():
    run("""
import sys, types
triton = sys.modules["triton"] = types.ModuleType("triton")
import tilec.standin
try:
    tilec.standin.install()
except RuntimeError as error:
    assert "imported before" in str(error)
else:
    raise SystemExit("no error")
tilec.standin.uninstall()
assert sys.modules["triton"] is triton
""")


@pytest.mark.skipif(not HAS_TORCH, reason="needs torch")
def test_torch_beside_it():
    run(FINDER + INSTALL + """
import torch, triton
assert triton.runtime.driver.active.get_active_torch_device() == torch.device("cpu")
x = torch.ones(4)
assert (torch.nn.functional.gelu(x) > 0).all()
y = triton.reinterpret(torch.zeros(4, dtype=torch.int8), triton.language.float8e5)
assert y.dtype == triton.language.float8e5
""")
