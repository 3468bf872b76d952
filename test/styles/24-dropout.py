# Functions as arguments; the four words of a generator's call in an unrolled loop.
import triton
import triton.language as tl

from project.parts import _WORDS, span_of, store_as


@triton.jit
def keep(x, random, p):
    return tl.where(random > p, x / (1 - p), 0.0)


@triton.jit
def apply(x_ptr, y_ptr, offsets, n, random, p, fn: tl.constexpr = keep):
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask).to(tl.float32)
    store_as(y_ptr + offsets, fn(x, random, p), mask)


@triton.jit(do_not_specialize=["p", "seed"])
def dropout(x_ptr, y_ptr, n, p, seed, BLOCK: tl.constexpr):
    span = span_of(BLOCK, n)
    random = tl.rand(seed, span.offsets)
    apply(x_ptr, y_ptr, span.offsets, n, random, p)


@triton.jit(do_not_specialize=["p", "seed"])
def dropout4(x_ptr, y_ptr, n, p, seed, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    words = tl.rand4x(seed, pid * BLOCK + tl.arange(0, BLOCK))
    first, *others = words
    tl.static_assert(len(others) == _WORDS - 1)
    for word in tl.static_range(_WORDS):
        offsets = pid * BLOCK * _WORDS + word * BLOCK + tl.arange(0, BLOCK)
        apply(x_ptr, y_ptr, offsets, n, random=words[word], p=p, fn=keep)
