# Block pointers; named tuples from a helper module; a stack of decorators with configurations made by a loop.
import torch
import triton
import triton.language as tl

from project.compat import contiguous, libentry
from project.parts import *


@triton.jit
def add_unchecked(x_ptr, y_ptr, out_ptr, BLOCK: tl.constexpr):
    start = tl.program_id(0) * BLOCK
    size = tl.num_programs(0) * BLOCK
    x_block = tl.make_block_ptr(base=x_ptr, shape=(size,), strides=(1,), offsets=(start,), block_shape=(BLOCK,), order=(0,))
    y_block = tl.make_block_ptr(y_ptr, (size,), (1,), (0,), (BLOCK,), (0,))
    y_block = tl.advance(y_block, (start,))
    out_block = tl.make_block_ptr(out_ptr, (size,), (1,), (start,), (BLOCK,), (0,))
    tl.store(out_block, tl.load(x_block) + tl.load(y_block))


@libentry()
@triton.jit
def add_masked(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    '''One block a program.'''
    span = span_of(block=BLOCK, limit=n)
    x = tl.load(x_ptr + span.offsets, span.mask)
    y = tl.load(y_ptr + span.offsets, mask=span.mask, other=0)
    tl.store(pointer=out_ptr + span.offsets, value=x + y, mask=span.mask)


def get_configs():
    return [triton.Config({"TILE": 512 * 2**i}, num_warps=w) for i in range(1, 4) for w in (4, 8)]


@libentry()
@triton.autotune(configs=get_configs(), key=["n"])
@triton.heuristics({"EVEN": lambda args: args["TILE"] == 1})
@triton.jit
def add_autotuned(x_ptr, y_ptr, out_ptr, n, TILE: tl.constexpr, EVEN: tl.constexpr):
    offsets, mask = span_of(TILE, n)
    if EVEN:
        x, y = tl.load(x_ptr + offsets), tl.load(y_ptr + offsets)
    else:
        x = tl.load(x_ptr + offsets, mask=mask)
        y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask if not EVEN else None)


@contiguous
def add(x, y):
    out = torch.empty_like(x)
    grid = lambda meta: (triton.cdiv(x.numel(), meta["TILE"]),)
    add_autotuned[grid](x, y, out, x.numel())
    return out
