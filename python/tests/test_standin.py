# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that are written for Triton, without Triton: programs/*.py run in processes that cannot import it."""

import importlib.util
import os
import pathlib
import subprocess
import sys

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
