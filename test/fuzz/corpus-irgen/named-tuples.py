from collections import namedtuple
from typing import NamedTuple
import triton
import triton.language as tl


class Pair(NamedTuple):
    first: tl.tensor
    second: tl.tensor = 5


Size = namedtuple("Size", ["rows", "columns"])


@triton.jit
def swap(pair):
    return Pair(pair.second, second=pair.first)


@triton.jit
def k(x, n):
    p = swap(Pair(n))
    for i in range(n):
        p = swap(p)
    a, *rest = p
    size: tl.constexpr = Size(columns=8, rows=7)
    tl.store(x + size[1], p.first - rest[0] + size.rows)
