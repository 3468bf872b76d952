# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`triton.compile` and torch.compile through tilec, and what the report says of them.

Programs that compile in other processes run in processes of their own: Inductor's are started once for a program, before
or after `tilec.install()`.
"""

import importlib.metadata
import json
import pathlib

import pytest

import tilec

torch = pytest.importorskip("torch")
triton = pytest.importorskip("triton")

needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
#: Triton's package has one.
needs_assembler = pytest.mark.skipif(
    not (pathlib.Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / "ptxas").exists(), reason="needs ptxas")

#: Processes that do not name tilec have it by a file of the package's that Python reads when it starts.
needs_installed = pytest.mark.skipif(not list(importlib.metadata.distributions(name="tilec")), reason="needs the wheel installed")

KERNELS = """
import sys
import tilec
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

tilec.install()


@triton.jit
def fill(x, n, VALUE: tl.constexpr, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + o, VALUE, mask=o < n)


def make(value):
    source = ASTSource(fill, {"x": "*fp32", "n": "i32", "VALUE": "constexpr", "BLOCK": "constexpr"},
                       {"VALUE": value, "BLOCK": 128})
    kernel = triton.compile(source, GPUTarget("cuda", 90, 32))
    return kernel.metadata.triton_version


def show():
    import json

    for entry in tilec.report():
        print("ENTRY", json.dumps([entry.kernel, entry.options.get("constants", {}).get("VALUE"), entry.from_cache,
                                   bool(entry.process), bool(entry.fallback)]))
"""


@pytest.fixture
def run(run_python, tmp_path):
    """Runs a program with caches of its own; returns the entries of its report."""

    def run(*texts, **environment):
        file = tmp_path / "program.py"
        file.write_text("\n".join(texts))
        out = run_python(file, env={
            "TILEC_CACHE_DIR": str(tmp_path / "tilec"), "TILEC_NO_CACHE": "", "TRITON_CACHE_DIR": str(tmp_path / "triton"),
            "TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "inductor"), **environment})  # yapf: disable
        print(out)
        return [json.loads(line.removeprefix("ENTRY ")) for line in out.splitlines() if line.startswith("ENTRY ")]

    return run


@needs_assembler
def test_what_the_caches_had(run, tmp_path):
    program = 'for value in (1, 1, 2):\n    assert make(value).startswith("tilec")\nshow()\n'
    assert run(KERNELS, program) == [["fill", "1", False, False, False], ["fill", "1", True, False, False],
                                     ["fill", "2", False, False, False]]  # yapf: disable
    # Triton's cache has them in another process; tilec's has them where that one is another.
    for environment in ({}, {"TRITON_CACHE_DIR": str(tmp_path / "other")}):
        assert [entry[2] for entry in run(KERNELS, program, **environment)] == [True, True, True]


@needs_assembler
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_other_processes(run, method):
    entries = run(KERNELS, f"""
if __name__ == "__main__":
    import multiprocessing
    make(0)
    with multiprocessing.get_context("{method}").Pool(2) as pool:
        assert all(version.startswith("tilec") for version in pool.map(make, [1, 2, 3], chunksize=1))
    show()
    assert "3 of 4 lines are of" in str(tilec.report())
""")
    assert sorted(entries) == [["fill", str(value), False, value != 0, False] for value in range(4)]


@needs_assembler
def test_processes_of_other_processes(run):
    entries = run(KERNELS, """
import subprocess
if len(sys.argv) > 1:
    make(int(sys.argv[1]))
    if sys.argv[1] == "1":
        subprocess.run([sys.executable, __file__, "2"], check=True)
        assert [entry.options["constants"]["VALUE"] for entry in tilec.report()] == ["1", "2"]
    else:
        assert len(tilec.report()) == 1
else:
    subprocess.run([sys.executable, __file__, "1"], check=True)
    show()
""")
    assert entries == [["fill", "1", False, True, False], ["fill", "2", False, True, False]]


@needs_assembler
def test_processes_of_inductor(run, tmp_path):
    """They are forked from one that is started by the program."""
    (tmp_path / "kernels.py").write_text(KERNELS)
    entries = run("""
if __name__ == "__main__":
    import functools, kernels
    from torch._inductor.async_compile import AsyncCompile
    pool = AsyncCompile.process_pool()
    jobs = [pool.submit(functools.partial(kernels.make, value)) for value in range(3)]
    assert all(job.result(timeout=100).startswith("tilec") for job in jobs)
    kernels.show()
""", TORCHINDUCTOR_COMPILE_THREADS="2")
    assert sorted(entries) == [["fill", str(value), False, True, False] for value in range(3)]


@needs_assembler
def test_nothing_is_left_behind(run, tmp_path):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    run(KERNELS, """
if __name__ == "__main__":
    import multiprocessing, os
    with multiprocessing.get_context("fork").Pool(1) as pool:
        pool.map(make, [1])
    assert len(tilec.report()) == 1
    assert len([name for name in os.listdir(os.environ["TMPDIR"]) if name.startswith("tilec")]) == 1
    tilec.uninstall()
    assert "TILEC_REPORT_FOLDER" not in os.environ
""", TMPDIR=str(temporary))
    assert not [path for path in temporary.iterdir() if path.name.startswith("tilec")]


@needs_assembler
def test_what_falls_back_in_other_processes(run):
    entries = run(KERNELS, """
from tilec import errors
from triton.compiler import compiler

def refused(value):
    # As far as tilec, Triton's own compiler needs a GPU's driver.
    from tilec import takeover
    takeover._tell_fallback(fill.fn, errors.CompilationError("no such thing"))

if __name__ == "__main__":
    import multiprocessing, warnings
    warnings.simplefilter("ignore")
    with multiprocessing.get_context("fork").Pool(1) as pool:
        pool.map(refused, [1, 2])
    show()
""")
    assert entries == [["fill", None, False, True, True]]


NET = """
import torch


def net(x, w):
    return torch.nn.functional.softmax(torch.nn.functional.gelu(x) * w + x.sin(), dim=-1).sum(0)


def check(function, *shapes):
    for shape in shapes:
        x = torch.randn(shape, device="cuda", requires_grad=True)
        w = torch.randn(shape[-1], device="cuda", requires_grad=True)
        for _ in range(3):
            torch.compiler.cudagraph_mark_step_begin()
            out = function(x, w).clone()
            gradients = torch.autograd.grad((out * torch.arange(out.numel(), device="cuda").sin()).sum(), (x, w))
            exact = [tensor.detach().double().requires_grad_() for tensor in (x, w)]
            expected = net(*exact)
            wanted = torch.autograd.grad((expected * torch.arange(out.numel(), device="cuda").sin()).sum(), exact)
            for value, right in zip((out, *gradients), (expected, *wanted)):
                assert (value.double() - right).norm() <= 1e-5 * right.norm()
    entries = tilec.report()
    print(entries)
    assert not [entry for entry in entries if entry.fallback]
    assert [entry for entry in entries if entry.kernel.startswith("triton_")]
"""


@needs_gpu
@needs_installed
def test_with_workers(run):
    """Inductor compiles in its processes when they are there; the first kernels of a program come before that."""
    entries = run(KERNELS, NET, """
if __name__ == "__main__":
    from torch._inductor.async_compile import AsyncCompile
    AsyncCompile.wait_pool_ready()
    check(torch.compile(net), (64, 512))
    show()
""", TORCHINDUCTOR_COMPILE_THREADS="4")
    assert [entry for entry in entries if entry[3]], "nothing was told of other processes"


@needs_gpu
def test_with_default_workers(run):
    assert run(KERNELS, NET, 'if __name__ == "__main__":\n    check(torch.compile(net), (64, 512))\n    show()\n')


@needs_gpu
@pytest.mark.parametrize("options", ["mode='reduce-overhead'", "mode='max-autotune-no-cudagraphs'", "mode='max-autotune'",
                                     "fullgraph=True"])
def test_modes(run, options):
    assert run(KERNELS, NET, f'if __name__ == "__main__":\n    check(torch.compile(net, {options}), (64, 512))\n    show()\n',
               TORCHINDUCTOR_COMPILE_THREADS="1")


@needs_gpu
def test_dynamic_shapes(run):
    assert run(KERNELS, NET, """
if __name__ == "__main__":
    check(torch.compile(net, dynamic=True), (64, 512), (33, 512), (64, 700), (1000, 31))
    show()
""")


@needs_gpu
def test_products_by_templates(run):
    """Matrix products that Inductor has templates for, with what is around them fused into them."""
    assert run(KERNELS, """
import torch
import torch._inductor.config as config

if __name__ == "__main__":
    config.max_autotune_gemm_backends = "TRITON"
    function = torch.compile(lambda a, b, c: torch.relu(a @ b + c), mode="max-autotune-no-cudagraphs")
    a, b = torch.randn(2, 512, 512, device="cuda", dtype=torch.float16)
    c = torch.randn(512, device="cuda", dtype=torch.float16)
    expected = torch.relu(a.double() @ b.double() + c.double())
    assert (function(a, b, c).double() - expected).norm() <= 1e-3 * expected.norm()
    entries = tilec.report()
    print(entries)
    assert [entry for entry in entries if entry.is_made and not entry.fallback]
    show()
""")
