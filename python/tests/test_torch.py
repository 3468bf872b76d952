# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of torch: on the CPU, and, where there is a GPU, on it."""

import numpy as np
import pytest

import tilec
import tilec.language as tl
from tilec import testing

torch = pytest.importorskip("torch")

FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
INTEGERS = [torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.uint16, torch.uint32, torch.uint64]
FP8 = [torch.float8_e4m3fn, torch.float8_e5m2]

needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")


@pytest.fixture(params=["cpu", pytest.param("cuda", marks=needs_gpu)])
def device(request):
    return request.param


@pytest.fixture
def generator(device):
    seed = torch.seed() % (1 << 32)
    print(f"torch.manual_seed({seed})")
    return torch.Generator(device).manual_seed(seed)


@tilec.jit
def add(x, y, z, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = o < n
    tl.store(z + o, tl.load(x + o, mask=m) + tl.load(y + o, mask=m), mask=m)


@tilec.jit
def copy(x, out, n, BLOCK: tl.constexpr):
    o = tl.arange(0, BLOCK)
    tl.store(out + o, tl.load(x + o, mask=o < n), mask=o < n)


@tilec.jit
def matmul(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    row = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    column = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    total = tl.zeros([BLOCK_M, BLOCK_N], tl.float32)
    for k in range(0, K, BLOCK_K):
        inner = k + tl.arange(0, BLOCK_K)
        x = tl.load(a + row * K + inner[None, :], mask=(row < M) & (inner[None, :] < K), other=0.0)
        y = tl.load(b + inner[:, None] * N + column, mask=(inner[:, None] < K) & (column < N), other=0.0)
        total = tl.dot(x, y, total)
    tl.store(c + row * N + column, total.to(c.dtype.element_ty), mask=(row < M) & (column < N))


def blocks(meta):
    return (tilec.cdiv(meta["n"], meta["BLOCK"]), )


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_floats(generator, device, dtype):
    x, y = (torch.randn(1000, generator=generator, device=device, dtype=torch.float64).to(dtype) for _ in range(2))
    z = torch.empty_like(x)
    add[blocks](x, y, z, 1000, BLOCK=256)
    torch.testing.assert_close(z.double(), x.double() + y.double(), rtol=2 * torch.finfo(dtype).eps, atol=1e-6)


@pytest.mark.parametrize("dtype", INTEGERS + [torch.bool] + FP8, ids=str)
def test_types(generator, device, dtype):
    x = torch.randint(0, 2, (40, ), generator=generator, device=device).to(dtype)
    out = torch.zeros_like(x)
    copy[1](x, out, 40, 64)
    assert torch.equal(out.view(torch.uint8), x.view(torch.uint8))


def test_types_that_no_kernel_has(device):
    out = torch.zeros(4, device=device)
    with pytest.raises(TypeError, match="no element type torch.complex64"):
        copy[1](torch.zeros(4, dtype=torch.complex64, device=device), out, 4, 16)


def test_devices_where_no_kernel_runs():
    with pytest.raises(TypeError, match="on a device of type 'meta'"):
        copy[1](torch.zeros(4, device="meta"), torch.zeros(4, device="meta"), 4, 16)


@needs_gpu
def test_tensors_on_different_devices():
    with pytest.raises(ValueError, match="all tensors of a launch have to be on one device"):
        copy[1](torch.zeros(4), torch.zeros(4, device="cuda"), 4, 16)


def test_parameters_and_subclasses(device):
    out = torch.zeros(4, device=device)
    parameter = torch.nn.Parameter(torch.ones(4, device=device))
    copy[1](parameter, out, 4, 16)
    assert torch.equal(out, parameter.detach())
    copy[1](torch.full((4, ), 5.0, device=device, requires_grad=True), out, 4, 16)
    assert out.tolist() == [5] * 4


@pytest.mark.parametrize("make", [lambda x: x, lambda x: x.t(), lambda x: x[::2, 1:], lambda x: x[5],
                                  lambda x: x.expand(3, 20, 30)[1]])
def test_views(generator, device, make):

    @tilec.jit
    def gather(x, out, columns, stride_row, stride_column, BLOCK: tl.constexpr):
        row = tl.program_id(0)
        o = tl.arange(0, BLOCK)
        tl.store(out + row * columns + o, tl.load(x + row * stride_row + o * stride_column, mask=o < columns),
                 mask=o < columns)

    view = torch.atleast_2d(make(torch.randn(20, 30, generator=generator, device=device)))
    out = torch.zeros(view.shape, device=device)
    gather[(view.shape[0], )](view, out, view.shape[1], *view.stride(), BLOCK=32)
    assert torch.equal(out, view)


def test_empty_tensors(device):
    empty = torch.zeros(0, device=device)
    copy[1](empty, empty, 0, 16)


def test_numbers_in_tensors_are_tensors(device):
    out = torch.zeros((), device=device)
    copy[1](torch.tensor(5.0, device=device), out, 1, 16)
    assert out.item() == 5


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32], ids=str)
def test_a_matrix_product(generator, device, dtype):
    m, n, k = 50, 40, 70
    a = torch.randn(m, k, generator=generator, device=device).to(dtype)
    b = torch.randn(k, n, generator=generator, device=device).to(dtype)
    c = torch.empty(m, n, device=device, dtype=dtype)
    matmul[lambda meta: (tilec.cdiv(m, meta["BLOCK_M"]), tilec.cdiv(n, meta["BLOCK_N"]))](
        a, b, c, m, n, k, BLOCK_M=32, BLOCK_N=32, BLOCK_K=32)
    tolerance = 1e-2 if dtype == torch.float32 else 4 * torch.finfo(dtype).eps  # Of tf32, at first.
    expected = a.double() @ b.double()
    torch.testing.assert_close(c.double(), expected, rtol=tolerance, atol=tolerance * expected.abs().max().item())


def test_types_as_constants(device):

    @tilec.jit
    def cast(x, out, n, TYPE: tl.constexpr, BLOCK: tl.constexpr):
        o = tl.arange(0, BLOCK)
        tl.store(out + o, tl.load(x + o, mask=o < n).to(TYPE), mask=o < n)

    x, out = torch.full((4, ), 2049.0, device=device), torch.zeros(4, device=device)
    cast[1](x, out, 4, torch.float16, 16)
    assert out.tolist() == [2048] * 4
    compiled = cast.warmup(torch.float32, torch.float32, 4, torch.float16, BLOCK=16, grid=(1, ))
    assert compiled.metadata.arguments[0]["type"] == "*fp32"


def test_mock_tensors():
    compiled = copy.warmup(tilec.MockTensor(torch.bfloat16), torch.float32, 40, BLOCK=64, grid=(1, ))
    assert [argument["type"] for argument in compiled.metadata.arguments] == ["*bf16", "*fp32", "i32"]


def test_autotuning(generator, device, capsys, monkeypatch):
    monkeypatch.setattr(tilec.tuner, "print_autotuning", True)
    kernel = tilec.autotune(
        configs=[tilec.Config({"BLOCK": size}, num_warps=warps) for size in (63, 64, 256) for warps in (2, 4)],
        key=["n"], reset_to_zero=["z"], warmup=1, rep=2, prune_configs_by={
            "early_config_prune": lambda configs, named, **kwargs: configs[1:]})(checked_add)
    x, y = torch.randn(2, 1000, generator=generator, device=device)
    z = torch.ones_like(x)
    kernel[blocks](x, y, z, 1000)
    assert torch.equal(z, x + y)
    assert kernel.best_config.kwargs["BLOCK"] in (64, 256)
    assert [config.kwargs["BLOCK"] for config in kernel.reasons] == [63]
    assert len(kernel.configs_timings) == (4 if device == "cuda" else 0)
    out = capsys.readouterr().out
    assert "left out       BLOCK: 63, num_warps: 4" in out and "best: BLOCK: " in out


@tilec.jit
def checked_add(x, y, z, n, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK % 16 == 0, "not a multiple of 16")
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = o < n
    tl.store(z + o, tl.load(z + o, mask=m) + tl.load(x + o, mask=m) + tl.load(y + o, mask=m), mask=m)


@needs_gpu
def test_autotuning_leaves_out_what_does_not_fit():
    kernel = tilec.autotune(configs=[tilec.Config({"BLOCK_M": size, "BLOCK_N": size, "BLOCK_K": 64}, num_stages=stages)
                                     for size, stages in ((256, 8), (64, 3))], key=["M"], use_cuda_graph=True,
                            rep=5)(matmul)
    a, b = torch.randn(2, 512, 512, device="cuda", dtype=torch.float16)
    c = torch.empty_like(a)
    kernel[lambda meta: (tilec.cdiv(512, meta["BLOCK_M"]), tilec.cdiv(512, meta["BLOCK_N"]))](a, b, c, 512, 512, 512)
    torch.testing.assert_close(c, a @ b, rtol=1e-2, atol=1e-1)
    print(kernel.configs_timings, kernel.reasons)
    assert kernel.best_config.kwargs["BLOCK_M"] == 64
    assert all(isinstance(reason, tilec.TilecError) for reason in kernel.reasons.values())


@needs_gpu
def test_results_on_disk(monkeypatch, tmp_path):
    monkeypatch.setenv("TILEC_CACHE_DIR", str(tmp_path))
    x = torch.ones(1000, device="cuda")
    for count in (2, 2):
        kernel = tilec.autotune(configs=[tilec.Config({"BLOCK": size}) for size in (64, 256)], key=["n"], warmup=1,
                                rep=2, cache_results=True)(add)
        kernel[blocks](x, x, torch.empty_like(x), 1000)
        assert len(kernel.configs_timings) == count
    assert len(list((tmp_path / "autotune").iterdir())) == 1


@needs_gpu
def test_times_of_the_gpu():
    x = torch.ones(1 << 24, device="cuda")
    y = torch.empty_like(x)

    def run():
        add[(1 << 14, )](x, x, y, 1 << 24, BLOCK=1024)

    for milliseconds in (testing.do_bench(run), testing.do_bench(run, quantiles=[0.5]),
                         testing.do_bench_cudagraph(run)):
        speed = 2 * x.numel() * 4 / milliseconds / 1e6
        print(f"{speed:.0f} GB/s")
        assert 10 < speed < 20000
    low, high = testing.do_bench(run, quantiles=[0.2, 0.8])
    assert 0 < low <= high


def test_assert_close(device):
    x = torch.linspace(0, 1, 100, device=device)
    for dtype in FLOATS + FP8:
        testing.assert_close(x.to(dtype), x.to(dtype).double())
    testing.assert_close(x, x.cpu().numpy().astype(np.float64))
    testing.assert_close(x.requires_grad_(), x.detach() + 0.005)
    with pytest.raises(AssertionError):
        testing.assert_close(x.to(torch.bfloat16) + 0.1, x)


def test_checking_mode(device):

    @tilec.jit
    def racing(x):
        tl.store(x, tl.program_id(0))

    with tilec.check():
        if device == "cuda":
            racing[4](torch.zeros(1, dtype=torch.int32, device=device))
            return
        with pytest.raises(tilec.KernelFault, match="global-race-write-write"):
            racing[4](torch.zeros(1, dtype=torch.int32, device=device))
