import triton
import triton.language as tl
from triton.language import core


@core.extern
def root(arg0, _builder=None):
    return core.extern_elementwise(
        "libdevice", "libdevice.10.bc", [arg0],
        {(core.dtype("fp32"),): ("__nv_sqrtf", core.dtype("fp32")),
         (core.dtype("fp64"),): ("__nv_sqrt", core.dtype("fp64"))},
        is_pure=True, _builder=_builder)


@triton.jit
def k(x):
    v = tl.load(x + tl.arange(0, 16))
    w = tl.extern_elementwise("", "", [v, v], {(tl.float32, tl.float32): ("__nv_powf", tl.float32)}, is_pure=True)
    tl.store(x + tl.arange(0, 16), root(v) + w + tl.extra.libdevice.tanh(v))
