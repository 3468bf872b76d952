import os
import torch
import triton
import triton.language as tl
# heuristic n=7
# arg table=*i32


def block_of(args):
    return max(16, triton.next_power_of_2(args["n"]))


@triton.heuristics({
    "HAS_TABLE": lambda args: isinstance(args["table"], torch.Tensor),
    "BLOCK": block_of,
    "W": lambda a: 4 if a["BLOCK"] > 32 else int(os.getenv("W", 8)),
})
@triton.jit
def k(out, table, n, HAS_TABLE: tl.constexpr = None, BLOCK: tl.constexpr = 32, W: tl.constexpr = 1):
    at = tl.arange(0, BLOCK)
    v = tl.load(table + at, at < n, 0) if HAS_TABLE else at
    tl.store(out + at, v * W, at < n)
