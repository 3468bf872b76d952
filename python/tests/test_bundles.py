# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bundles: kernels that were compiled ahead of time."""

import inspect
import os
import pathlib
import subprocess

import numpy as np
import pytest

import tilec
import tilec.language as tl
from tilec import TensorDescriptor

HERE = pathlib.Path(__file__).parent


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """The file that `tilec build` makes; TILEC_TEST_BUNDLE is one that was made before."""
    made = os.environ.get("TILEC_TEST_BUNDLE")
    if made:
        return pathlib.Path(made)
    program = os.environ.get("TILEC_TEST_PROGRAM")
    if not program:
        pytest.skip("TILEC_TEST_PROGRAM, the program tilec, is not set")
    folder = tmp_path_factory.mktemp("bundle")
    subprocess.run([program, "build", HERE / "bundled" / "ops.json", "-o", folder, "--emit", "bundle"], check=True)
    return folder / "ops.tilec"


@pytest.fixture(scope="module")
def ops(path):
    return tilec.load_bundle(path)


@pytest.mark.parametrize("n", [1, 127, 128, 129, 1000])
def test_the_bundles_grid(ops, rng, tensor, n):
    x, y = rng.standard_normal((2, n), dtype=np.float32)
    x, y, z = (np.require(array, requirements="O") for array in (x, y, np.zeros_like(x)))
    before = len(tilec.report())
    compiled = ops.add_f32(tensor(x), tensor(y), tensor(z), n)
    np.testing.assert_array_equal(z, x + y)
    assert len(tilec.report()) == before, "nothing is compiled"
    assert compiled.metadata.target == "sim" and compiled.name == "add"


def test_grids_of_the_launch(ops, tensor):
    x = np.arange(300, dtype=np.float32)
    for grid in ((3, ), 3, lambda meta: (tilec.cdiv(meta["n"], meta["BLOCK"]), )):
        z = np.zeros_like(x)
        ops.add_f32[grid](tensor(x), tensor(x), z=tensor(z), n=300, BLOCK=128, ACTIVATION=None)
        np.testing.assert_array_equal(z, 2 * x)
    ops.add_f32[(0, )](x, x, z, 300)
    ops.add_f32(x, x, z, 0)
    with pytest.raises(ValueError, match="size 0 of the grid is -39"):
        ops.add_f32(x, x, z, -5000)


def test_the_function_stands_for_its_entries(ops, rng):
    x, y = rng.standard_normal((2, 100)).astype(np.float16)
    z = np.zeros_like(x)
    ops.add(x, y, z, 100)
    np.testing.assert_array_equal(z, np.maximum(x + y, 0))
    x, y = rng.standard_normal((2, 100), dtype=np.float32)
    z = np.zeros_like(x)
    ops.add(x, y, z, 100)
    np.testing.assert_array_equal(z, x + y)
    # A constant decides, too.
    with pytest.raises(ValueError, match="add_f32 for sim: argument 'ACTIVATION' is 'relu', the code has None"):
        ops.add(x, y, z, 100, ACTIVATION="relu")


def test_tensor_descriptors(ops, rng):
    a = rng.standard_normal((48, 64)).astype(np.float16)
    expected = (a.astype(np.float32) * 0.25).astype(np.float16)
    ops.scale(TensorDescriptor.from_tensor(a, [16, 32]), 0.25, 48)
    np.testing.assert_array_equal(a, expected)
    ops.scale(TensorDescriptor.from_tensor(a, [16, 32]), 2, 48)
    np.testing.assert_array_equal(a, 2 * expected)
    with pytest.raises(ValueError, match="'a' is tensordesc<fp16\\[16, 64\\]>, the code takes tensordesc<fp16\\[16, 32\\]>"):
        ops.scale(TensorDescriptor.from_tensor(a, [16, 64]), 0.5, 48)
    with pytest.raises(ValueError, match="'a' is tensordesc<fp16\\[16, 32\\], nan>"):
        ops.scale(TensorDescriptor.from_tensor(a, [16, 32], padding="nan"), 0.5, 48)
    with pytest.raises(ValueError, match="'rows' is no multiple of 8"):
        ops.scale(TensorDescriptor.from_tensor(a, [16, 32]), 0.5, 44)


def test_parameters_that_are_constants(ops):
    x, y = np.arange(16, dtype=np.int32), np.zeros(16, np.int32)
    ops.copy[1](x, y)
    np.testing.assert_array_equal(y, x)
    y[:] = 0
    ops.copy[1](x, y, None, n=16)
    np.testing.assert_array_equal(y, x)
    with pytest.raises(ValueError, match="'bias' is 3, the code has None"):
        ops.copy[1](x, y, 3)
    with pytest.raises(ValueError, match="kernel 'copy' has no grid of its own"):
        ops.copy(x, y)


@pytest.mark.parametrize("change, message", [
    (dict(BLOCK=64), "'BLOCK' is 64, the code has 128"),
    (dict(z=np.zeros(100, np.float16)), "'z' is \\*fp16, the code takes \\*fp32:16"),
    (dict(x=np.zeros(101, np.float32)[1:]), "'x' is no multiple of 16"),
    (dict(n=2**40), "'n' is 1099511627776, the code takes i32"),
    (dict(n=1.5), "'n' is 1.5"),
    (dict(n=None), "'n' is None"),
    (dict(n=(1, 2)), "'n' is a tuple"),
    (dict(num_warps=8), "num_warps is 8, the code has 4"),
    (dict(num_stages=7), "num_stages is 7"),
    (dict(debug=True), "compiled already"),
])  # yapf: disable
def test_values_that_no_code_takes(ops, change, message):
    x = np.zeros(100, np.float32)
    with pytest.raises(ValueError, match="no code of bundle 'ops' takes these values\n  add_f32 for sim: .*" + message):
        ops.add_f32(**{**dict(x=x, y=x, z=x, n=100), **change})


def test_calls_that_cannot_be(ops):
    x = np.zeros(100, np.float32)
    with pytest.raises(TypeError, match="'n' is missing"):
        ops.add_f32(x, x, x)
    with pytest.raises(TypeError, match="takes 6 arguments, got 7"):
        ops.add_f32(x, x, x, 100, 128, None, 1)
    with pytest.raises(KeyError, match="'m' is neither a parameter of kernel 'add_f32' nor a launch option"):
        ops.add_f32(x, x, x, 100, m=3)
    with pytest.raises(TypeError, match="a kernel of a bundle takes no functions"):
        ops.add_f32(x, x, x, 100, ACTIVATION=tilec.jit(lambda x: x))


def test_faults_have_their_place(ops):
    x = np.zeros(100, np.float32)
    with pytest.raises(tilec.KernelFault) as caught:
        ops.add_f32(x, x, np.zeros_like(x), 101)
    finding = caught.value.findings[0]
    assert finding.kind == "out-of-bounds" and os.path.basename(finding.file) == "kernels.py" and finding.line == 13
    x = np.zeros(200, np.float32)
    with tilec.check(), pytest.raises(tilec.KernelFault, match="race"):
        ops.add_f32[1, 2](x, x, x, 200)


def test_what_a_bundle_says(ops, path):
    assert list(ops) == ["add_f32", "add_f16", "scale", "copy"] and len(ops) == 4
    assert "add_f32" in ops and "add" not in ops and "scale" in dir(ops)
    assert ops["add_f32"] is ops.add_f32 and ops.name == "ops"
    assert ops.add_f32.targets == ["sm_90a", "sm_80", "sim"] and ops.add_f32.grid == "cdiv(n, BLOCK)"
    assert str(inspect.signature(ops.add_f32)) == "(x, y, z, n, *, BLOCK=128, ACTIVATION=None)"
    assert repr(ops.add) == ("<kernel add(x, y, z, n, BLOCK=..., ACTIVATION=...) on cdiv(n, BLOCK) programs for "
                             "sm_90a, sm_80, sim>")
    assert repr(ops) == f"<bundle ops from '{path}': add_f32, add_f16, scale, copy>"
    with pytest.raises(AttributeError, match="bundle 'ops' has no kernel 'sub'; it has add_f32, add_f16, scale, copy"):
        ops.sub
    with pytest.raises(KeyError):
        ops["sub"]


def test_the_code(ops):
    x = np.zeros(16, np.int32)
    compiled = ops.copy[1](x, x.copy())
    assert compiled.hash == ops.copy[1](x, x.copy()).hash
    y = np.ones(16, np.int32)
    compiled[1](x, y)
    assert (y == 0).all()
    with pytest.raises(KeyError, match="a bundle has no source"):
        compiled.asm["ttir"]


def test_files_that_are_none(tmp_path, path):
    with pytest.raises(FileNotFoundError):
        tilec.load_bundle(tmp_path / "none.tilec")
    with pytest.raises(ValueError, match="test_bundles.py' is not a bundle of tilec's: not made by tilec"):
        tilec.load_bundle(__file__)
    cut = tmp_path / "cut.tilec"
    cut.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ValueError, match="cut.tilec' is not a bundle of tilec's: not as long as it says"):
        tilec.load_bundle(cut)


def test_the_bundle_may_go(path):
    kernel = tilec.load_bundle(str(path)).add_f32
    x = np.ones(100, np.float32)
    z = np.zeros_like(x)
    kernel(x, x, z, 100)
    assert (z == 2).all()


def test_kernels_of_the_language_have_no_grid():

    @tilec.jit
    def nothing(n):
        tl.device_assert(n > 0)

    with pytest.raises(ValueError, match="kernel 'nothing' has no grid of its own"):
        nothing[...](np.zeros(1, np.int32))


def test_on_a_gpu(ops):
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("there is no GPU")
    x, y = torch.randn(2, 1 << 20, device="cuda")
    z = torch.empty_like(x)
    compiled = ops.add_f32(x, y, z, x.numel())
    assert torch.equal(z, x + y) and compiled.metadata.target == "sm_90a" and compiled.asm["cubin"]
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        ops.add(x, x, z, x.numel())
    stream.synchronize()
    assert torch.equal(z, x + x)
    h = torch.randn(1000, device="cuda", dtype=torch.float16)
    out = torch.empty_like(h)
    ops.add(h, h, out, 1000)
    assert torch.equal(out, torch.relu(h + h))
    a = torch.randn(48, 64, device="cuda", dtype=torch.float16)
    expected = (a.float() * 0.5).half()
    ops.scale(TensorDescriptor.from_tensor(a, [16, 32]), 0.5, 48)
    assert torch.equal(a, expected)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        ops.add_f32(x, z, z, x.numel())
    z.zero_()
    graph.replay()
    graph.replay()
    assert torch.equal(z, x + x)
