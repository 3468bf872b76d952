# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in operators of torch, under torch.compile, and in CUDA graphs."""

import pytest

import tilec

torch = pytest.importorskip("torch")
triton = pytest.importorskip("triton")
import triton.language as tl  # noqa: E402

needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")


@pytest.fixture(params=["cpu", pytest.param("cuda", marks=needs_gpu)])
def device(request, monkeypatch):
    if request.param == "cpu":  # Beside a GPU a kernel of Triton's takes tensors of the CPU only when it is told to.
        monkeypatch.setattr(tilec.settings, "simulate", True)
    return request.param


@pytest.fixture
def compiled(device):
    """torch.compile without graph breaks; Inductor is for the GPU, the CPU has the backend that runs the graph as it is."""
    torch._dynamo.reset()
    return lambda function: torch.compile(function, fullgraph=True, backend="inductor" if device == "cuda" else "aot_eager")


@pytest.fixture(autouse=True)
def installed():
    tilec.install(fallback=False)
    yield
    tilec.uninstall()


def add_scaled(x, y, out, n, scale, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = o < n
    tl.store(out + o, tl.load(x + o, mask=m) + scale * tl.load(y + o, mask=m), mask=m)


ours = tilec.jit(add_scaled)
theirs = triton.jit(add_scaled)
both = pytest.mark.parametrize("kernel", [ours, theirs], ids=["tilec", "triton"])
KERNELS = {"tilec": ours, "triton": theirs}


def grid(meta):
    return (tilec.cdiv(meta["n"], meta["BLOCK"]), )


def launch(kernel, x, y, scale):
    out = torch.empty_like(x)
    kernel[grid](x, y, out, x.numel(), scale, BLOCK=256)
    return out


def make_operator(name: str, kernel):
    """An operator that torch looks into no further, with what torch.compile and autograd have to know."""

    @torch.library.custom_op(f"tilec_tests::{name}", mutates_args=())
    def operator(x: torch.Tensor, y: torch.Tensor, scale: float) -> torch.Tensor:
        return launch(kernel, x, y, scale)

    @operator.register_fake
    def _(x, y, scale):
        return torch.empty_like(x)

    def setup(ctx, inputs, output):
        ctx.scale = inputs[2]

    def backward(ctx, gradient):
        zero = torch.zeros_like(gradient)
        return gradient, operator(zero, gradient.contiguous(), ctx.scale), None

    operator.register_autograd(backward, setup_context=setup)
    return operator


OPERATORS = {name: make_operator(f"add_{name}", kernel) for name, kernel in KERNELS.items()}
named = pytest.mark.parametrize("name", list(KERNELS))


@torch.library.custom_op("tilec_tests::scale_into", mutates_args=("out", ))
def scale_into(x: torch.Tensor, out: torch.Tensor, scale: float) -> None:
    ours[grid](torch.zeros_like(x), x, out, x.numel(), scale, BLOCK=256)


@torch.library.triton_op("tilec_tests::add_seen", mutates_args=())
def add_seen(x: torch.Tensor, y: torch.Tensor, scale: float) -> torch.Tensor:
    out = torch.empty_like(x)
    torch.library.wrap_triton(theirs)[grid](x, y, out, x.numel(), scale, BLOCK=256)
    return out


def pair(device, dtype=torch.float32):
    return torch.randn(1000, device=device, dtype=dtype), torch.randn(1000, device=device, dtype=dtype)


@named
def test_custom_op(device, compiled, name):
    operator = OPERATORS[name]
    x, y = pair(device)
    torch.testing.assert_close(operator(x, y, 2.0), x + 2 * y)
    function = compiled(lambda x, y: operator(x * 3, y, 2.0) + 1)
    torch.testing.assert_close(function(x, y), x * 3 + 2 * y + 1)


@named
def test_custom_op_with_other_shapes(device, name):
    operator = OPERATORS[name]
    torch._dynamo.reset()
    function = torch.compile(lambda x, y: operator(x, y, 2.0), fullgraph=True, dynamic=True,
                             backend="inductor" if device == "cuda" else "aot_eager")
    for count in (1000, 1001, 17):
        x, y = torch.randn(2, count, device=device)
        torch.testing.assert_close(function(x, y), x + 2 * y)


@named
def test_gradients_of_a_custom_op(device, compiled, name):
    operator = OPERATORS[name]
    x, y = (tensor[:20].requires_grad_() for tensor in pair(device, torch.float64))
    torch.autograd.gradcheck(lambda x, y: operator(x, y, 2.0), (x, y))
    compiled(lambda x, y: (operator(x, y, 2.0) * y).sum())(x, y).backward()
    torch.testing.assert_close(x.grad, y)
    torch.testing.assert_close(y.grad, x + 4 * y)


@named
def test_what_torch_checks_of_an_operator(device, name):
    torch.library.opcheck(OPERATORS[name], (*pair(device), 2.0))


def test_an_operator_that_writes_its_argument(device, compiled):
    x, out = pair(device)
    scale_into(x, out, 2.0)
    torch.testing.assert_close(out, 2 * x)

    def twice(x, out):
        scale_into(x, out, 2.0)
        return out + 1

    torch.testing.assert_close(compiled(twice)(x, out), 2 * x + 1)
    torch.library.opcheck(scale_into, (x, out, 2.0))


def test_triton_op(device, compiled):
    x, y = pair(device)
    torch.testing.assert_close(add_seen(x, y, 2.0), x + 2 * y)
    torch.testing.assert_close(compiled(lambda x, y: add_seen(x * 3, y, 2.0) + 1)(x, y), x * 3 + 2 * y + 1)


def test_kernels_that_torch_cannot_look_into():
    with pytest.raises(RuntimeError, match="triton.jit"):
        torch.library.wrap_triton(ours)


def test_launches_beside_a_graph(device):
    torch._dynamo.reset()
    function = torch.compile(lambda x, y: launch(ours, x * 3, y, 2.0) + 1,
                             backend="inductor" if device == "cuda" else "aot_eager")
    x, y = pair(device)
    torch.testing.assert_close(function(x, y), x * 3 + 2 * y + 1)


@needs_gpu
def test_launches_in_a_graph_of_the_compiler():
    torch._dynamo.reset()
    function = torch.compile(lambda x, y: launch(theirs, x * 3, y, 2.0) + 1, fullgraph=True)
    x, y = pair("cuda")
    torch.testing.assert_close(function(x, y), x * 3 + 2 * y + 1)


@needs_gpu
@both
def test_cuda_graphs(kernel):
    x, y = pair("cuda")
    launch(kernel, x, y, 2.0)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        first = launch(kernel, x, y, 2.0)
        second = launch(kernel, first, x, 0.5)
    for _ in range(3):
        x.copy_(torch.randn_like(x))
        y.copy_(torch.randn_like(y))
        graph.replay()
        torch.testing.assert_close(first, x + 2 * y)
        torch.testing.assert_close(second, 1.5 * x + 2 * y)


@needs_gpu
@both
def test_cuda_graphs_on_a_stream(kernel):
    x, y = pair("cuda")
    launch(kernel, x, y, 2.0)
    stream, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        graph.capture_begin()
        out = launch(kernel, x, y, 2.0)
        graph.capture_end()
    torch.cuda.current_stream().wait_stream(stream)
    y.fill_(1)
    graph.replay()
    torch.testing.assert_close(out, x + 2)


@needs_gpu
@pytest.mark.parametrize("jit", [tilec.jit, triton.jit], ids=["tilec", "triton"])
def test_the_first_launch_in_a_capture(jit):
    """It compiles and loads code while the stream is captured: the graph is right, or the launch says what is wrong."""

    def plus_three(x, out, n, BLOCK: tl.constexpr):
        o = tl.arange(0, BLOCK)
        tl.store(out + o, tl.load(x + o, mask=o < n) + 3, mask=o < n)

    kernel = jit(plus_three)
    x = torch.ones(100, device="cuda")
    out = torch.zeros_like(x)
    graph = torch.cuda.CUDAGraph()
    problem = None
    try:
        with torch.cuda.graph(graph):
            try:
                kernel[(1, )](x, out, 100, BLOCK=128)
            except RuntimeError as error:
                problem = error
    except RuntimeError:
        assert problem is not None  # The capture ends with the launch.
    print("the launch said", repr(problem))
    if problem is None:
        assert not out.any()  # Recorded, not run.
        x.fill_(5)
        graph.replay()
        assert (out == 8).all()
    else:
        assert "captur" in str(problem)
    kernel[(1, )](x, out, 100, BLOCK=128)
    assert torch.equal(out, x + 3)


@needs_gpu
@named
def test_graphed_callables(name):
    operator = OPERATORS[name]

    class Module(torch.nn.Module):

        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(1000, device="cuda"))

        def forward(self, x):
            return operator(x * self.weight, x, 2.0)

    module = Module()
    sample = torch.randn(1000, device="cuda", requires_grad=True)
    graphed = torch.cuda.make_graphed_callables(module, (sample, ))
    for _ in range(2):
        x = torch.randn(1000, device="cuda", requires_grad=True)
        module.weight.grad = None
        out = graphed(x)
        torch.testing.assert_close(out, 3 * x)
        out.sum().backward()
        torch.testing.assert_close(x.grad, torch.full_like(x, 3))
        torch.testing.assert_close(module.weight.grad, x.detach())


@needs_gpu
def test_a_tuned_kernel_in_a_graph():
    kernel = tilec.autotune(configs=[tilec.Config({"BLOCK": size}) for size in (128, 256)], key=["n"], warmup=1, rep=2)(ours)
    x, y = pair("cuda")
    out = torch.empty_like(x)
    kernel[grid](x, y, out, 1000, 2.0)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kernel[grid](x, y, out, 1000, 2.0)
    y.fill_(1)
    graph.replay()
    torch.testing.assert_close(out, x + 2)
