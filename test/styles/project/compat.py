# What a project puts between itself and the versions of the language.
import functools
import os

import torch
import triton
import triton.language as tl
from packaging import version

TRITON_3_2 = version.parse(triton.__version__) >= version.parse("3.2.0")
USE_FAST = os.environ.get("PROJECT_FAST_OPS", "0") == "1"

if USE_FAST:
    from triton.language.extra.libdevice import fast_expf as exp
else:
    exp = tl.exp

if hasattr(tl, "_experimental_make_tensor_descriptor"):
    make_tensor_descriptor = tl._experimental_make_tensor_descriptor
else:
    make_tensor_descriptor = tl.make_tensor_descriptor

try:
    from triton.language.extra import libdevice
except ImportError:
    libdevice = tl.math


def contiguous(fn):
    """A decorator of the host's."""

    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        return fn(*[a.contiguous() if isinstance(a, torch.Tensor) else a for a in args], **kwargs)

    return wrapper


def libentry():
    def decorator(fn):
        return fn

    return decorator
