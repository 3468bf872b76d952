import math, os, sys
import torch
import triton
import triton.language as tl
from packaging import version

try:
    from triton.language.extra.libdevice import rsqrt as root
except ImportError:
    from triton.language.math import rsqrt as root


def is_hip():
    return triton.runtime.driver.active.get_current_target().backend == "hip"


THREE = -3 if is_hip() else 3
if version.parse(triton.__version__) >= version.parse("3.0.0") and hasattr(tl, "dot"):
    SIX: tl.constexpr = 6
else:
    SIX = tl.constexpr(-6)
NINE = math.ceil(math.log2(math.pi * 100)) if sys.platform == "linux" else 0
MAX = torch.finfo(torch.float8_e4m3fn).max


def make(size=64):
    @triton.jit
    def k(x):
        tl.store(x + size, root(1.0) + THREE + SIX + NINE - MAX)
    return k
