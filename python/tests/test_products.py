# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Configurations of products by the model, and kernels that are tuned by what a function returns."""

import numpy as np
import pytest

import tilec
import tilec.language as tl
from tilec import _devices, tuner


@tilec.jit
def matmul(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr):
    pid = tl.program_id(0)
    tiles_m, tiles_n = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    first = pid // (GROUP_M * tiles_n) * GROUP_M
    rows = min(tiles_m - first, GROUP_M)
    tile_m, tile_n = first + pid % (GROUP_M * tiles_n) % rows, pid % (GROUP_M * tiles_n) // rows
    m = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    sums = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, K, BLOCK_K):
        depth = start + k
        x = tl.load(a + m[:, None] * K + depth[None, :], mask=(m[:, None] < M) & (depth[None, :] < K), other=0.0)
        y = tl.load(b + depth[:, None] * N + n[None, :], mask=(depth[:, None] < K) & (n[None, :] < N), other=0.0)
        sums = tl.dot(x, y, sums)
    tl.store(c + m[:, None] * N + n[None, :], sums.to(tl.float16), mask=(m[:, None] < M) & (n[None, :] < N))


def grid(meta):
    return (tilec.cdiv(meta["M"], meta["BLOCK_M"]) * tilec.cdiv(meta["N"], meta["BLOCK_N"]), )


@pytest.fixture
def no_gpu(monkeypatch):
    monkeypatch.setattr(_devices, "current", lambda: (_devices.CPU, 0))


@pytest.fixture
def gpu(monkeypatch):
    """Has the current device be a GPU of the target and number of multiprocessors."""

    def be(target, multiprocessors):
        monkeypatch.setattr(_devices, "current", lambda: (_devices.CUDA, 0))
        monkeypatch.setattr(_devices, "info", lambda *place: ("GPU", target, 9, 0, multiprocessors, 0, 0))

    return be


def test_names(no_gpu):
    configs = tilec.product_configs(3072, 3072, 8192)
    assert len(configs) == 12
    for config in configs:
        assert list(config.kwargs) == ["BLOCK_M", "BLOCK_N", "BLOCK_K", "GROUP_M"]
        assert config.num_warps in (4, 8, 16) and config.num_stages >= 2 and config.num_ctas in (1, 2, 4)
    (config, ) = tilec.product_configs(3072, 3072, 8192, tile=("X", "Y", "Z"), group=None, most=1)
    assert list(config.kwargs) == ["X", "Y", "Z"]


def test_what_they_depend_on(no_gpu):

    def first(*sizes, **options):
        return tilec.product_configs(*sizes, most=1, **options)[0]

    assert first(4096, 4096, 4096).kwargs["BLOCK_K"] == 64
    assert first(4096, 4096, 4096, bits=8, b_rows=False).kwargs["BLOCK_K"] == 128
    assert first(256, 256, 16384).split_k in (2, 4, 8)
    assert first(4096, 4096, 4096).split_k is None
    assert first(4096, 4096, 4096) != first(512, 512, 4096)


def test_the_multiprocessors_are_those_of_the_gpu(gpu):
    gpu("sm_90a", 132)
    known = tilec.product_configs(3072, 3072, 8192)
    gpu("sm_90a", 66)
    assert tilec.product_configs(3072, 3072, 8192) != known
    gpu("sm_80", 108)
    with pytest.raises(tilec.Unavailable, match="sm_80"):
        tilec.product_configs(3072, 3072, 8192)


@pytest.mark.parametrize("options, message", [({"bits": 32}, "8 or 16 bits"), ({"most": 0}, "most is 0"),
                                              ({"most": 1 << 60}, "expected 1 to 1000"), ({"tile": ("X", "Y")}, "argument 2")])
def test_wrong_options(no_gpu, options, message):
    with pytest.raises(ValueError, match=message):
        tilec.product_configs(64, 64, 64, **options)
    with pytest.raises(ValueError, match="'k' of a product is 0"):
        tilec.product_configs(64, 64, 0)


def test_autotune_by_a_function(rng):
    seen = []

    def configs(arguments):
        seen.append((arguments["M"], arguments["N"], arguments["K"]))
        return tilec.product_configs(*seen[-1], most=2)

    kernel = tilec.autotune(configs=configs, key=["M", "N", "K"])(matmul)
    for m, n, k in ((128, 256, 64), (64, 136, 96), (128, 256, 64)):
        a = rng.standard_normal((m, k)).astype(np.float16)
        b = rng.standard_normal((k, n)).astype(np.float16)
        c = np.zeros((m, n), np.float16)
        kernel[grid](a, b, c, m, n, k)
        np.testing.assert_allclose(c, a.astype(np.float64) @ b.astype(np.float64), rtol=1e-2, atol=1e-2)
    assert seen == [(128, 256, 64), (64, 136, 96)]
    assert len(kernel.cache) == 2 and len(kernel.configs) == 2


def test_one_configuration_is_not_timed(monkeypatch, rng):
    monkeypatch.setattr(tuner, "_is_simulated", lambda values: False)

    def fail(call, quantiles):
        raise AssertionError("there is one configuration only")

    kernel = tilec.autotune(configs=lambda arguments: [tilec.Config({"BLOCK_M": 16 * arguments["SCALE"]})], key=["M"],
                            do_bench=fail)(scale)
    x = rng.standard_normal(100).astype(np.float32)
    y = np.zeros_like(x)
    kernel[(4, )](x, y, 100, SCALE=2)
    np.testing.assert_allclose(y, 2 * x)
    assert kernel.best_config.kwargs == {"BLOCK_M": 32}
    assert kernel.configs_timings == {}


def test_no_configuration():
    kernel = tilec.autotune(configs=lambda arguments: [], key=["M"])(scale)
    x = np.ones(16, np.float32)
    with pytest.raises(tuner.TuningError, match="'scale' returned none"):
        kernel[(1, )](x, x, 16, SCALE=2)


@tilec.jit
def scale(x, y, M, BLOCK_M: tl.constexpr, SCALE: tl.constexpr):
    o = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    tl.store(y + o, tl.load(x + o, mask=o < M) * SCALE, mask=o < M)
