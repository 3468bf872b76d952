# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads the operator and compares it with PyTorch in double precision, eager, in a CUDA graph and under torch.compile.

    python check.py LIBRARY
"""

import sys

import torch

torch.ops.load_library(sys.argv[1])
rms_norm = torch.ops.tilec_example.rms_norm


# What torch.compile has to know: shapes and types.
@torch.library.register_fake("tilec_example::rms_norm")
def _(x, weight, eps):
    return torch.empty_like(x)


def expected(x, weight, eps):
    wide = x.double()
    return wide * torch.rsqrt((wide * wide).mean(-1, keepdim=True) + eps) * weight.double()


def compare(y, x, weight, eps):
    tolerance = {torch.float32: 1e-5, torch.float16: 2e-3, torch.bfloat16: 2e-2}[x.dtype]
    torch.testing.assert_close(y.double(), expected(x, weight, eps), rtol=tolerance, atol=tolerance)


def refuses(message, *arguments):
    try:
        rms_norm(*arguments)
    except (RuntimeError, NotImplementedError) as error:
        assert message in str(error), error
    else:
        raise AssertionError(f"expected '{message}'")


refuses("CPU", torch.zeros(4), torch.zeros(4), 1e-6)
if not torch.cuda.is_available():
    print("registered; there is no GPU to run it on")
    sys.exit()

cases = 0
for dtype in (torch.float32, torch.float16, torch.bfloat16):
    for shape in ((1, 1), (3, 17), (64, 4096), (2, 5, 1000), (7, 8192), (1, 100000), (0, 16), (4, 0)):
        x = torch.randn(shape, device="cuda", dtype=dtype)
        weight = torch.randn(shape[-1], device="cuda", dtype=dtype)
        compare(rms_norm(x, weight, 1e-6), x, weight, 1e-6)
        cases += 1
    # Not aligned to 16 bytes.
    x = torch.randn(64 * 256 + 1, device="cuda", dtype=dtype)[1:].view(64, 256)
    weight = torch.randn(256, device="cuda", dtype=dtype)
    compare(rms_norm(x, weight, 1e-6), x, weight, 1e-6)
    cases += 1

x, weight = torch.randn(64, 512, device="cuda"), torch.randn(512, device="cuda")
refuses("a weight for each of 512 columns", x, weight[:4], 1e-6)
refuses("contiguous", x.t(), torch.randn(64, device="cuda"), 1e-6)
refuses("type of the input", x, weight.half(), 1e-6)
refuses("float32, float16 or bfloat16", x.double(), weight.double(), 1e-6)

graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = rms_norm(x, weight, 1e-6)
x.copy_(torch.randn_like(x))
graph.replay()
compare(y, x, weight, 1e-6)

side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    y = rms_norm(x, weight, 1e-6)
side.synchronize()
compare(y, x, weight, 1e-6)

compiled = torch.compile(lambda x, weight: rms_norm(x * 2, weight, 1e-6) + 1, fullgraph=True)
torch.testing.assert_close(compiled(x, weight).double(), expected(x * 2, weight, 1e-6) + 1, rtol=1e-5, atol=1e-5)
torch.library.opcheck(rms_norm, (x, weight, 1e-6))
print(f"{cases} shapes, a graph, a stream, torch.compile: right")
