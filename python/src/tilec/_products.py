# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Configurations of a matrix product by the model of products: docs/tuning.md."""

from __future__ import annotations

from . import _devices, _native
from .tuner import Config


def product_configs(m: int, n: int, k: int, *, bits: int = 16, a_rows: bool = True, b_rows: bool = True,
                    tile: tuple[str, str, str] = ("BLOCK_M", "BLOCK_N", "BLOCK_K"), group: str | None = "GROUP_M",
                    most: int = 12) -> list[Config]:
    """The configurations of C = A x B that should take the least time on the current GPU, the likeliest first.

    Nothing is compiled or measured: a model says which they are. It knows the H200 and its like (sm_90a); for other
    GPUs `Unavailable` is raised. Without a GPU they are an H200's.

    :param m: rows of A and C; `n` columns of B and C; `k` columns of A and rows of B
    :param bits: of an element of A and B, 8 or 16
    :param a_rows: whether A lies by rows in memory, its elements along `k` together; `b_rows`: those of B along `n`
    :param tile: the constants that are the extents of a tile along `m`, `n` and `k`
    :param group: the constant that says how many rows of tiles programs in a row go down; None: the kernel has none
    :param most: the number of configurations, at most: 1 to 1000
    """
    if not 1 <= most <= 1000:
        raise ValueError(f"most is {most}, expected 1 to 1000")
    place = _devices.current()
    target, multiprocessors = None, 0
    if place[0] != _devices.CPU:
        _, target, _, _, multiprocessors, _, _ = _devices.info(*place)
    plans = _native.plan_product(m, n, k, bits, not a_rows, not b_rows, group is None, target, multiprocessors, most)
    return [_config(plan, tile, group) for plan in plans]


def _config(plan: tuple, tile: tuple[str, str, str], group: str | None) -> Config:
    *extents, group_m, num_warps, num_stages, num_ctas, split_k, _ = plan
    constants = dict(zip(tile, extents, strict=True))
    if group is not None:
        constants[group] = group_m
    return Config(constants, num_warps=num_warps, num_stages=num_stages, num_ctas=num_ctas,
                  split_k=split_k if split_k > 1 else None)
