import triton
import triton.language as tl
from triton.language.core import _aggregate as aggregate


@aggregate
class Box:
    low: tl.tensor
    width: tl.constexpr = 8

    @property
    @triton.jit
    def doubled(self):
        return self.low * 2


@aggregate
class Named(Box):
    label: tl.constexpr = "a"

    @triton.jit
    def __init__(self, low, label: tl.constexpr):
        self.low = low
        self.width = 4
        self.label = label


@triton.jit
def find(box, limit):
    for i in range(10):
        if box.doubled > limit:
            return box, i
    return box, -1


@triton.jit
def k(x, n):
    box, i = find(Named(n, "b"), 29)
    tl.store(x, box.low + i if isinstance(box, Box) else 0)
