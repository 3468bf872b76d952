# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of whatever framework, their streams and their devices. GPUs are made up where a test says so (fake_cuda.c), and
real ones with torch where there are some; what needs more than one is skipped elsewhere."""

import gc
import os
import pathlib
import shutil
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from dlpack_producer import Producer

import tilec
import tilec.language as tl

HERE = pathlib.Path(__file__).parent

try:
    import torch
except ImportError:
    torch = None

gpus = torch.cuda.device_count() if torch is not None else 0
needs_torch = pytest.mark.skipif(torch is None, reason="needs torch")
needs_gpu = pytest.mark.skipif(gpus < 1, reason="needs torch and a GPU")
needs_gpus = pytest.mark.skipif(gpus < 2, reason="needs torch and two GPUs")


@tilec.jit
def copy(x, out, n, BLOCK: tl.constexpr = 64):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + o, tl.load(x + o, mask=o < n), mask=o < n)


@tilec.jit
def transpose_blocks(x, out):
    out.store([0, 0], tl.trans(x.load([0, 0])))


# Memory that is not there.


class CudaArray:
    """Has `__cuda_array_interface__` alone."""

    def __init__(self, address, shape, typestr="<f4", **more):
        self.__cuda_array_interface__ = {"shape": shape, "typestr": typestr, "data": (address, False), "version": 3, **more}


@needs_torch
@pytest.mark.parametrize("make", [lambda x: x, lambda x: x[1:], lambda x: x.view(torch.float8_e4m3fn)])
def test_freed_tensors(make):
    x = make(torch.zeros(8))
    out = torch.zeros(8)
    x.untyped_storage().resize_(0)
    with pytest.raises(ValueError, match="'x' is a tensor with elements and without memory"):
        copy[1](x, out, 8)
    with pytest.raises(ValueError, match="'out' is a tensor"):
        copy[1](out, x, 8)
    # Nothing is launched here.
    assert copy[0](x, out, 8) is None
    assert copy.warmup(x, out, 8, grid=1).name == "copy"


@needs_torch
def test_a_freed_tensor_in_a_tuple_and_in_a_descriptor():

    @tilec.jit
    def sum_of(values, out):
        tl.store(out, tl.load(values[0]) + tl.load(values[1]))

    x, out = torch.ones(16, 16), torch.zeros(16, 16)
    sum_of[1]((x, x), out)
    assert out[0, 0] == 2
    descriptors = [tilec.TensorDescriptor.from_tensor(tensor, [16, 16]) for tensor in (x, out)]
    transpose_blocks[1](*descriptors)
    x.untyped_storage().resize_(0)
    with pytest.raises(ValueError, match="'values' is a tensor"):
        sum_of[1]((out, x), out)
    with pytest.raises(ValueError, match="'x' is a tensor"):
        transpose_blocks[1](*descriptors)


def test_tensors_of_no_element_need_no_memory():
    out = np.zeros(4, np.float32)
    copy[1](DLPackOnly(np.zeros(0, np.float32)), out, 0)
    if torch is not None:
        copy[1](torch.zeros(0), out, 0)
        copy[1](torch.zeros((3, 0), dtype=torch.float8_e5m2), out, 0)


def test_mock_tensors_have_no_memory():
    with pytest.raises(ValueError, match="'x' is a tensor"):
        copy[1](tilec.MockTensor(np.float32), np.zeros(4, np.float32), 4)


# Tensors that have DLPack's methods alone.


class DLPackOnly:
    """An array that hides everything else of it, as of a framework that has versions of DLPack before 1 or later ones."""

    def __init__(self, array, is_new=True):
        self._array = array
        self._is_new = is_new
        self.calls = []

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()

    def __dlpack__(self, **keywords):
        self.calls.append(dict(keywords))
        if "max_version" in keywords:
            if not self._is_new:
                raise TypeError("unexpected keyword argument 'max_version'")
            if tuple(map(int, np.__version__.split(".")[:2])) < (2, 1):
                del keywords["max_version"]
        return self._array.__dlpack__(**keywords)


@pytest.mark.parametrize("is_new", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8, np.uint64])
def test_dlpack_on_the_host(rng, dtype, is_new):
    x, out = (rng.standard_normal(60) * 10).astype(dtype), np.zeros(60, dtype)
    source, target = DLPackOnly(x, is_new), DLPackOnly(out, is_new)
    before = sys.getrefcount(x)
    copy[1](source, target, 60)
    np.testing.assert_array_equal(out, x)
    gc.collect()
    assert sys.getrefcount(x) == before
    # Memory of the host has no streams.
    assert "stream" not in source.calls[-1] and ("max_version" in source.calls[-1]) == is_new
    with pytest.raises(tilec.KernelFault, match="past the end of 'x'"):
        copy[2](DLPackOnly(x), np.zeros(128, dtype), 61)


def test_dlpack_and_views():

    @tilec.jit
    def gather(x, out, n, stride, BLOCK: tl.constexpr):
        o = tl.arange(0, BLOCK)
        tl.store(out + o, tl.load(x + o * stride, mask=o < n), mask=o < n)

    x, out = np.arange(64, dtype=np.float32), np.zeros(16, np.float32)
    gather[1](DLPackOnly(x[32::2]), out, 16, 2, 16)
    np.testing.assert_array_equal(out, x[32::2])
    gather[1](DLPackOnly(x[::-1]), out, 16, -1, 16)
    np.testing.assert_array_equal(out, x[:-17:-1])
    with pytest.raises(tilec.KernelFault):
        gather[1](DLPackOnly(x[::-1]), out, 16, 1, 16)


def test_dlpack_in_tuples_and_descriptors():

    @tilec.jit
    def sum_of(values, out):
        tl.store(out, tl.load(values[0]) + tl.load(values[1]))

    out = np.zeros((16, 16), np.float32)
    x = np.arange(256, dtype=np.float32).reshape(16, 16)
    sum_of[1]((DLPackOnly(x), DLPackOnly(x[1:])), out)
    assert out[0, 0] == 16
    base = DLPackOnly(x)
    base.dtype = x.dtype
    transpose_blocks[1](tilec.TensorDescriptor(base, [16, 16], [16, 1], [16, 16]),
                        tilec.TensorDescriptor.from_tensor(out, [16, 16]))
    np.testing.assert_array_equal(out, x.T)


def test_dlpack_that_may_only_be_read():
    if tuple(map(int, np.__version__.split(".")[:2])) < (2, 1):
        pytest.skip("NumPy before 2.1 has no flag for it")
    x = np.ones(8, np.float32)
    x.flags.writeable = False
    out = np.zeros(8, np.float32)
    copy[1](DLPackOnly(x), out, 8)
    with pytest.raises(tilec.KernelFault, match="read-only"):
        copy[1](out, DLPackOnly(x), 8)


@pytest.mark.parametrize("version", [None, 1])
def test_capsules_are_taken_and_given_back(version):
    x, out = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    producer = Producer(x.ctypes.data, version=version)
    copy[1](producer, out, 8)
    np.testing.assert_array_equal(out, x)
    assert (producer.given, producer.taken_back) == (1, 1)
    assert producer.capsule_name() == b"used_" + producer.name
    # Those of a launch that does not come about, too.
    with pytest.raises(TypeError, match="aggregate|which no kernel can take"):
        copy[1](producer, object(), 8)
    with pytest.raises(ZeroDivisionError):
        copy[lambda meta: (1 // 0, )](producer, out, 8)
    assert producer.given == producer.taken_back
    with pytest.raises(ValueError, match="'x' is a tensor with elements and without memory"):
        copy[1](Producer(None, version=version), out, 8)
    copy[1](Producer(None, size=0, version=version), out, 0)


def test_capsules_that_cannot_be_used():
    x, out = np.zeros(8, np.float32), np.zeros(8, np.float32)
    for producer, error, text in (
        (Producer(x.ctypes.data, version=2), BufferError, "a tensor of DLPack 2, expected 1"),
        (Producer(x.ctypes.data, version=1, flags=2), BufferError, "gave a copy"),
        (Producer(x.ctypes.data, code=5, bits=64), TypeError, "no element type of DLPack's code 5 with 64 bits"),
        (Producer(x.ctypes.data, device=(8, 0)), ValueError, "DLPack type 8"),
    ):
        with pytest.raises(error, match=text):
            copy[1](producer, *([out] if producer._device[0] == 1 else [producer]), 8)
        assert producer.given == producer.taken_back


def test_bfloat16_by_dlpack():
    x = np.arange(8, dtype=np.float32).view(np.uint32) >> 16
    x, out = x.astype(np.uint16), np.zeros(8, np.float32)
    copy[1](Producer(x.ctypes.data, code=4, bits=16), out, 8)
    np.testing.assert_array_equal(out, np.arange(8))


# GPUs that are made up.


@pytest.fixture(scope="session")
def fake_driver(tmp_path_factory):
    """A folder with a libcuda.so.1 that says what it is asked."""
    compiler = next(filter(None, map(shutil.which, ("cc", "clang", "gcc"))), None)
    if compiler is None:
        pytest.skip("needs a C compiler")
    folder = tmp_path_factory.mktemp("driver")
    subprocess.run([compiler, "-shared", "-fPIC", "-w", "-o", folder / "libcuda.so.1", HERE / "fake_cuda.c"], check=True)
    return folder


HEAD = """
import sys
import types
sys.path.insert(0, {tests!r})
import numpy as np
import tilec
import tilec.language as tl
from tilec import _devices, _native

@tilec.jit
def copy(x, out, n, BLOCK: tl.constexpr = 64):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + o, tl.load(x + o, mask=o < n), mask=o < n)

def framework(name, **members):
    module = sys.modules[name] = types.ModuleType(name)
    vars(module).update(members)
    return module

class Array:
    def __init__(self, device=0, size=8, **more):
        self.memory = tilec.DeviceArray(size, np.float32, device)
        self.__cuda_array_interface__ = {{**self.memory.__cuda_array_interface__, **more}}
        self.shape = (size, )

def say(what):
    with open({log!r}, "a") as file:
        print(what, file=file)
"""


@pytest.fixture
def on_fake_gpus(fake_driver, tmp_path, run_python):
    """Runs a program on two GPUs that are made up; returns what the driver was asked, and what the program said."""

    def run(text, devices=2, **env):
        log, program = tmp_path / "log", tmp_path / "program.py"
        log.write_text("")
        program.write_text(HEAD.format(tests=str(HERE), log=str(log)) + textwrap.dedent(text))
        path = os.pathsep.join(filter(None, [str(fake_driver), os.environ.get("LD_LIBRARY_PATH")]))
        run_python(program, env={"LD_LIBRARY_PATH": path, "FAKE_CUDA_LOG": str(log), "FAKE_CUDA_DEVICES": str(devices),
                                 "TILEC_NO_CACHE": "1", **env})
        return log.read_text().splitlines()

    return run


def launches_of(lines):
    return [line for line in lines if line.startswith(("launch", "0x", "(nil)"))]


def test_arrays_without_memory_on_a_gpu(on_fake_gpus):
    lines = on_fake_gpus("""
        out = Array()
        for array in (Array(data=(0, False)), Array(data=(None, False)), Array(data=(64, False))):
            try:
                copy[1](array, out, 8)
            except ValueError as error:
                say(error)
        empty = Array(data=(0, False))
        empty.shape = (0, )
        copy[1](empty, out, 0)
        """)
    assert sum("argument 'x' is a tensor with elements and without memory" in line for line in lines) == 3
    assert launches_of(lines) == ["launch 0 on (nil)"]


def test_a_program_that_installs_does_not_start_cuda(on_fake_gpus):
    text = """
        import os
        if {stand_in}:
            sys.modules["triton"] = None
        tilec.install()
        import triton
        import triton.language
        assert hasattr(triton, "__tilec_standin__") == {stand_in}
        assert "libcuda" not in open("/proc/self/maps").read()
        pid = os.fork()
        if pid == 0:
            # As it would be with the first use in a child.
            assert _devices.count() == 2
            tilec.to_device(np.zeros(4, np.float32))
            say("used")
            os._exit(0)
        assert os.waitpid(pid, 0)[1] == 0
        """
    for stand_in in (True, False):
        if not stand_in:
            pytest.importorskip("triton")
        lines = on_fake_gpus(text.format(stand_in=stand_in))
        assert "used" in lines


def test_cuda_is_lost_in_a_child(on_fake_gpus):
    lines = on_fake_gpus("""
        import os
        x = tilec.to_device(np.zeros(4, np.float32))
        pid = os.fork()
        if pid == 0:
            try:
                tilec.to_device(np.zeros(4, np.float32))
            except RuntimeError as error:
                say(error)
            # The simulator goes on, and the parent's memory is left alone.
            a, b = np.ones(4, np.float32), np.zeros(4, np.float32)
            copy[1](a, b, 4)
            assert (a == b).all()
            del x
            os._exit(0)
        assert os.waitpid(pid, 0)[1] == 0
        say("parent")
        """)
    assert any("CUDA was used before this process was forked" in line for line in lines)
    assert lines.index("parent") < lines.index("free 0") and lines.count("free 0") == 1


def test_streams_that_arrays_were_used_on(on_fake_gpus):
    lines = on_fake_gpus("""
        out = Array()
        for stream in (None, 1, 2, 0x5000):
            say(stream)
            copy[1](Array(stream=stream), Array(stream=stream), 8)
        say("two")
        copy[1](Array(stream=0x5000), Array(stream=0x6000), 8)
        say("without")
        copy[1](out, out, 8)
        """)
    expected = {
        "None": ["launch 0 on (nil)"], "1": ["launch 0 on 0x1"], "2": ["launch 0 on 0x2"], "20480": ["launch 0 on 0x5000"],
        "two": ["0x5000 waits for 0x6000", "launch 0 on 0x5000"], "without": ["launch 0 on (nil)"],
    }  # yapf: disable
    for at, (name, calls) in enumerate(expected.items()):
        rest = lines[lines.index(name) + 1:]
        later = [list(expected)[i] for i in range(at + 1, len(expected)) if list(expected)[i] in rest]
        assert launches_of(rest[:rest.index(later[0])] if later else rest) == calls


def test_streams_of_frameworks(on_fake_gpus):
    lines = on_fake_gpus("""
        class Stream:
            def __init__(self, number):
                self.cuda_stream = self.ptr = number

        class On:
            current = 0
            def __init__(self, device):
                self.device = device
            def __enter__(self):
                self.before, On.current = On.current, self.device
            def __exit__(self, *_):
                On.current = self.before

        cuda = types.SimpleNamespace(is_initialized=lambda: True, is_available=lambda: True, current_device=lambda: 0,
                                     current_stream=lambda index: Stream(0xa0 + index))
        framework("torch", cuda=cuda)
        framework("cupy", cuda=types.SimpleNamespace(Device=On, get_current_stream=lambda: Stream(0xb0 + On.current)))

        class TorchLike:
            def __init__(self, device):
                self.memory = tilec.DeviceArray(8, np.float32, device)
                self.dtype, self.shape = np.dtype(np.float32), (8, )
                self.device = types.SimpleNamespace(type="cuda", index=device)
            def data_ptr(self):
                return self.memory.__cuda_array_interface__["data"][0]

        class CupyLike(Array):
            pass

        CupyLike.__module__ = "cupy"

        @tilec.jit
        def nothing(n):
            pass

        for device in (0, 1):
            own = tilec.DeviceArray(8, np.float32, device)
            torch_like = TorchLike(device)
            cupy_like = CupyLike(device, stream=0xb0 + device)
            copy[1](own, own, 8)                   # The default stream, whatever torch has.
            copy[1](torch_like, own, 8)            # torch's
            copy[1](cupy_like, own, 8)             # CuPy's
            copy[1](cupy_like, torch_like, 8)      # torch's, after CuPy's
        nothing[1](5)                              # torch's
        """)
    assert launches_of(lines) == [
        "launch 0 on (nil)", "launch 0 on 0xa0", "launch 0 on 0xb0", "0xa0 waits for 0xb0", "launch 0 on 0xa0",
        "launch 1 on (nil)", "launch 1 on 0xa1", "launch 1 on 0xb1", "0xa1 waits for 0xb1", "launch 1 on 0xa1",
        "launch 0 on 0xa0",
    ]  # yapf: disable


def test_arrays_that_are_not_ready(on_fake_gpus):
    lines = on_fake_gpus("""
        class JaxLike(Array):
            @property
            def device(self):
                return types.SimpleNamespace(id=7, local_hardware_id=1)
            def block_until_ready(self):
                say("ready")

        copy[1](JaxLike(1), JaxLike(1), 8)
        """)
    assert [line for line in lines if line == "ready" or line.startswith("launch")] == ["ready", "ready", "launch 1 on (nil)"]


def test_dlpack_on_gpus(on_fake_gpus):
    lines = on_fake_gpus("""
        from dlpack_producer import Producer

        # Its stream is not that of tensors that it does not know.
        framework("torch", cuda=types.SimpleNamespace(is_initialized=lambda: True, current_stream=lambda index: 1 / 0))
        memory = [tilec.DeviceArray(8, np.float32, device) for device in (0, 1)]
        address = [array.__cuda_array_interface__["data"][0] for array in memory]
        for version in (None, 1):
            x, out = Producer(address[1], device=(2, 1), version=version), Producer(address[1], device=(2, 1))
            copy[1](x, out, 8)
            copy[1](x, Array(1, stream=0x5000), 8)
            assert x.streams == [1, 0x5000], x.streams
            assert (x.given, x.taken_back) == (2, 2)
        try:
            copy[1](Producer(address[0], device=(2, 0)), Producer(address[1], device=(2, 1)), 8)
        except ValueError as error:
            say(error)
        """)
    assert launches_of(lines) == ["launch 1 on (nil)", "launch 1 on 0x5000"] * 2
    assert "argument 'out' is on cuda:1, the tensors before it are on cuda:0: all tensors of a launch have to be on one " \
        "device" in lines


def test_devices_of_arrays(on_fake_gpus):
    text = """
        class Placed(Array):
            def __init__(self, device):
                super().__init__(device)
                self.device = types.SimpleNamespace(id=device)

        def launch(*arrays):
            try:
                copy[1](*arrays, 8)
            except ValueError as error:
                say(str(error).split(":")[0])

        last = _devices.count() - 1
        own = [tilec.to_device(np.zeros(8, np.float32), device) for device in (0, last)]
        launch(own[1], own[1])
        launch(Placed(last), Array(last))
        launch(Array(last), own[1])
        launch(Array(0), Placed(0))
        launch(Array(0), Array(last))
        launch(own[0], own[1])
        """
    lines = on_fake_gpus(text)
    assert launches_of(lines) == ["launch 1 on (nil)"] * 3 + ["launch 0 on (nil)"]
    assert sum("is on cuda" in line for line in lines) == 2
    # One context and one load for each device, whatever is current.
    assert lines.count("context 0") == lines.count("context 1") == lines.count("load 0") == lines.count("load 1") == 1
    assert launches_of(on_fake_gpus(text, devices=1)) == ["launch 0 on (nil)"] * 6


def test_copies_wait_for_all_streams(on_fake_gpus):
    lines = on_fake_gpus("""
        x = tilec.to_device(np.arange(6, dtype=np.float64).reshape(2, 3), device=1)
        assert (x.to_host() == np.arange(6).reshape(2, 3)).all()
        assert x.strides == np.zeros((2, 3)).strides and x.ndim == 2 and x.itemsize == 8
        """)
    before = [line.replace("1 (nil)", "1") for line in lines if line.startswith(("wait", "upload", "download"))]
    assert before == ["wait for device 1", "upload 1 on (nil)", "wait for stream 1",
                      "wait for device 1", "download 1 on (nil)", "wait for stream 1"]  # yapf: disable


def test_descriptors_of_device_arrays(on_fake_gpus):
    lines = on_fake_gpus("""
        @tilec.jit
        def transpose(x, out):
            out.store([0, 0], tl.trans(x.load([0, 0])))

        for dtype in (np.float16, np.float32, np.float64, np.int8):
            x = tilec.to_device(np.zeros((32, 64), dtype))
            descriptor = tilec.TensorDescriptor.from_tensor(x, [16, 16])
            assert descriptor.strides == [64, 1] and descriptor.shape == [32, 64]
        try:
            tilec.TensorDescriptor.from_tensor(tilec.to_device(np.zeros((4, 3), np.float32)), [4, 2])
        except ValueError as error:
            say(error)
        x, out = tilec.empty((32, 32)), tilec.empty((32, 32))
        transpose[1](*(tilec.TensorDescriptor.from_tensor(array, [32, 32]) for array in (x, out)))
        """)
    assert "strides but the last are multiples of 16 bytes, got 12 bytes" in lines
    assert launches_of(lines) == ["launch 0 on (nil)"]


# GPUs.


@needs_gpu
def test_freed_tensors_of_a_gpu():
    x, out = torch.zeros(8, device="cuda"), torch.zeros(8, device="cuda")
    x.untyped_storage().resize_(0)
    with pytest.raises(ValueError, match="'x' is a tensor with elements and without memory"):
        copy[1](x, out, 8)
    copy[1](out, out, 8)
    torch.cuda.synchronize()


class OnlyDLPackOf:
    """A tensor of torch behind DLPack's methods, and how often it was asked."""

    def __init__(self, tensor):
        self._tensor = tensor
        self.streams = []

    def __dlpack_device__(self):
        return self._tensor.__dlpack_device__()

    def __dlpack__(self, *, stream=None, max_version=None):
        self.streams.append(stream)
        return self._tensor.__dlpack__(stream=stream)


@needs_gpu
def test_dlpack_of_a_gpu():
    x, out = torch.randn(1000, device="cuda"), torch.zeros(1000, device="cuda")
    copy[16](OnlyDLPackOf(x), OnlyDLPackOf(out), 1000)
    torch.cuda.synchronize()
    assert torch.equal(x, out)
    side = torch.cuda.Stream()
    source, result = OnlyDLPackOf(x), torch.zeros_like(x)
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        copy[16](source, result, 1000)
    side.synchronize()
    assert torch.equal(x, result) and source.streams == [side.cuda_stream]


@needs_gpu
def test_a_side_stream():
    """A launch is part of the current stream: it comes after what was queued there, and another stream does not wait."""
    size = 1 << 22
    x, out = torch.zeros(size, device="cuda"), torch.zeros(size, device="cuda")
    copy[(1, )](x, out, size, BLOCK=1024)  # Compiles.
    side = torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        torch.cuda._sleep(200_000_000)
        x.fill_(5)
        copy[(size // 1024, )](x, out, size, BLOCK=1024)
        done = torch.cuda.Event()
        done.record()
    assert not done.query()
    torch.cuda.default_stream().synchronize()
    assert not done.query()
    side.synchronize()
    assert torch.equal(out, torch.full_like(out, 5))


@needs_gpu
def test_a_graph_of_a_side_stream():
    x, out = torch.ones(1024, device="cuda"), torch.zeros(1024, device="cuda")
    copy[(1, )](x, out, 1024, BLOCK=1024)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        copy[(1, )](x, out, 1024, BLOCK=1024)
    x.fill_(7)
    graph.replay()
    assert out.unique().tolist() == [7]


@needs_gpu
def test_streams_in_the_array_interface_of_a_gpu():

    class Used(CudaArray):
        """An array that was last used on a stream."""

        def __init__(self, tensor, stream):
            self.tensor = tensor
            self.dtype = np.dtype(np.float32)
            self.shape = tuple(tensor.shape)
            super().__init__(tensor.data_ptr(), self.shape, stream=stream)

    side = torch.cuda.Stream()
    x, out = torch.zeros(1024, device="cuda"), torch.zeros(1024, device="cuda")
    copy[(1, )](x, out, 1024, BLOCK=1024)
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        torch.cuda._sleep(100_000_000)
        x.fill_(3)
    copy[(1, )](Used(x, side.cuda_stream), out, 1024, BLOCK=1024)
    assert out.unique().tolist() == [3]


@needs_gpu
def test_device_arrays_on_a_gpu(rng):
    array = rng.standard_normal((64, 32)).astype(np.float32)
    x, out = tilec.to_device(array), tilec.empty((32, 64))
    descriptors = (tilec.TensorDescriptor.from_tensor(x, [32, 32]), tilec.TensorDescriptor.from_tensor(out, [32, 32]))
    transpose_blocks[1](*descriptors)
    np.testing.assert_array_equal(out.to_host()[:, :32], array[:32].T)
    # A kernel on a stream of torch's, which the copy waits for.
    side = torch.cuda.Stream()
    zeros = torch.zeros(2048, device="cuda")
    copy[(2, )](zeros, x, 2048, BLOCK=1024)
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        torch.cuda._sleep(100_000_000)
        zeros.fill_(9)
        copy[(2, )](zeros, x, 2048, BLOCK=1024)
    assert (x.to_host() == 9).all()


@needs_gpu
def test_cuda_in_a_child_of_a_program_that_installed(tmp_path, run_python):
    pytest.importorskip("triton")
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent("""
        import os
        import tilec
        tilec.install()
        import triton
        import triton.language as tl
        import torch

        @triton.jit
        def put(x):
            tl.store(x, 5)

        pid = os.fork()
        if pid == 0:
            x = torch.zeros(1, device="cuda")
            put[(1, )](x)
            print(x.item(), flush=True)
            os._exit(0)
        assert os.waitpid(pid, 0)[1] == 0
        """))
    assert run_python(program).strip() == "5.0"


# Several GPUs.


@needs_gpus
@pytest.mark.parametrize("current", [0, 1])
def test_tensors_of_a_device_that_is_not_current(current):
    with torch.cuda.device(current):
        for device in (1, 0, 1):
            x, out = torch.randn(5000, device=f"cuda:{device}"), torch.zeros(5000, device=f"cuda:{device}")
            copy[(tilec.cdiv(5000, 64), )](x, out, 5000)
            assert torch.equal(x, out)
            assert torch.cuda.current_device() == current


@needs_gpus
def test_streams_of_each_device():
    x, out = torch.zeros(1 << 20, device="cuda:1"), torch.zeros(1 << 20, device="cuda:1")
    copy[(1, )](x, out, 1 << 20, BLOCK=1024)  # Compiles.
    side = torch.cuda.Stream(device=1)
    torch.cuda.synchronize(1)
    with torch.cuda.stream(side):
        # The current device is the stream's here.
        torch.cuda._sleep(200_000_000)
        x.fill_(2)
        with torch.cuda.device(0):
            copy[(1 << 10, )](x, out, 1 << 20, BLOCK=1024)
    assert not side.query()
    side.synchronize()
    assert torch.equal(x, out)


@needs_gpus
def test_tensors_of_two_devices():
    with pytest.raises(ValueError, match="'out' is on cuda:1, the tensors before it are on cuda:0"):
        copy[1](torch.zeros(4, device="cuda:0"), torch.zeros(4, device="cuda:1"), 4)


@needs_gpus
def test_descriptors_on_the_second_device():
    x, out = torch.randn(32, 32, device="cuda:1"), torch.zeros(32, 32, device="cuda:1")
    transpose_blocks[1](*(tilec.TensorDescriptor.from_tensor(tensor, [32, 32]) for tensor in (x, out)))
    assert torch.equal(out, x.t())


@needs_gpus
def test_arrays_of_the_second_device():
    x = tilec.to_device(np.arange(100, dtype=np.float32), device=1)

    class Plain(CudaArray):
        """Says nothing of its device."""

    out = torch.zeros(100, device="cuda:1")
    plain = Plain(out.data_ptr(), (100, ))
    plain.dtype, plain.shape = np.dtype(np.float32), (100, )
    copy[(2, )](x, plain, 100)
    torch.cuda.synchronize(1)
    assert out.tolist() == list(range(100))


@needs_gpus
def test_a_function_of_the_driver_for_each_device():
    kernels = []
    for device in (0, 1):
        x = torch.ones(64, device=f"cuda:{device}")
        kernels.append(copy[1](x, torch.zeros_like(x), 64))
        assert kernels[-1].n_regs > 0
    assert copy[1](x, torch.zeros_like(x), 64) is kernels[1] is not kernels[0]


PRODUCT = """
    @tilec.jit
    def product(a, b, c, M, N, K, BLOCK: tl.constexpr = 128):
        x = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BLOCK, 64])
        y = tl.make_tensor_descriptor(b, [K, N], [N, 1], [64, BLOCK])
        m = tl.program_id(0) // tl.cdiv(N, BLOCK) * BLOCK
        n = tl.program_id(0) % tl.cdiv(N, BLOCK) * BLOCK
        sums = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
        for k in tl.range(0, K, 64, warp_specialize=True):
            sums = tl.dot(x.load([m, k]), y.load([k, n]), sums)
        i = tl.arange(0, BLOCK)
        tl.store(c + (m + i)[:, None] * N + (n + i)[None, :], sums)

    half = tilec.DeviceArray((512, 512), np.float16)
    full = tilec.DeviceArray((512, 512), np.float32)
    sizes = (half, half, full, 512, 512, 512)
    """


def test_clusters_of_programs(on_fake_gpus):
    lines = on_fake_gpus(PRODUCT + """
    for blocks, num_ctas in ((16, 2), (15, 2), (14, 2), (16, 1), (16, None), (16, 4), (14, 4), (16, 3)):
        compiled = product[(blocks, )](*sizes, num_warps=8, num_ctas=num_ctas)
        say(f"{num_ctas} of {blocks}: {compiled.metadata.num_ctas}, {compiled.metadata.cluster_dims}")
    paired = product[(16, )](*sizes, num_warps=8, num_ctas=2)
    assert product[(16, )](*sizes, num_warps=8, num_ctas=2) is paired is not compiled
    assert product[(15, )](*sizes, num_warps=8, num_ctas=2) is compiled
    assert "tilegpu.num_ctas = 2" in paired.asm["ttgir"] and "num_ctas" not in compiled.asm["ttgir"]
    say("again")
    paired[(8, )](*sizes)
    """)
    assert [line for line in lines if "cluster" in line or " of " in line] == [
        "clusters of 2", "2 of 16: 2, (2, 1, 1)", "2 of 15: 1, (1, 1, 1)", "clusters of 2", "2 of 14: 2, (2, 1, 1)",
        "1 of 16: 1, (1, 1, 1)", "None of 16: 1, (1, 1, 1)", "clusters of 4", "4 of 16: 4, (4, 1, 1)",
        "4 of 14: 1, (1, 1, 1)", "3 of 16: 1, (1, 1, 1)", "clusters of 2", "clusters of 2", "clusters of 2"]
    assert lines[lines.index("again") + 1:][:2] == ["clusters of 2", "launch 0 on (nil)"]


def test_clusters_of_configurations(on_fake_gpus):
    lines = on_fake_gpus(PRODUCT + """
    for num_ctas in (2, 4, 3):
        tuned = tilec.autotune(configs=[tilec.Config({"BLOCK": 128}, num_warps=8, num_ctas=num_ctas)], key=["M"])(product)
        for blocks in (16, 15):
            say(f"{num_ctas} of {blocks}: {tuned[(blocks, )](*sizes).metadata.num_ctas}")
    """)
    assert [line for line in lines if " of " in line] == [
        "clusters of 2", "2 of 16: 2", "2 of 15: 1", "clusters of 4", "4 of 16: 4", "4 of 15: 1", "3 of 16: 1", "3 of 15: 1"]


def test_programs_of_several_ctas(on_fake_gpus):
    lines = on_fake_gpus(PRODUCT + """
    for blocks, split_k in ((15, 2), (16, 4), (16, 1), (16, None)):
        compiled = product[(blocks, )](*sizes, num_warps=8, split_k=split_k)
        say(f"{split_k} of {blocks}: {compiled.metadata.split_k}, {compiled.metadata.num_ctas}, {compiled.metadata.cluster_dims}")
    split = product[(15, )](*sizes, num_warps=8, split_k=2)
    assert product[(16, )](*sizes, num_warps=8, split_k=2) is split is not compiled
    assert "tile.split_k = 2" in split.asm["ttgir"] and "split_k" not in compiled.asm["ttgir"]
    say("again")
    split[(7, )](*sizes)
    tuned = tilec.autotune(configs=[tilec.Config({"BLOCK": 128}, num_warps=8, split_k=2)], key=["M"])(product)
    assert tuned[(15, )](*sizes).metadata.split_k == 2
    """)
    assert [line for line in lines if "cluster" in line or " of " in line] == [
        "clusters of 2", "2 of 15: 2, 1, (2, 1, 1)", "clusters of 4", "4 of 16: 4, 1, (4, 1, 1)", "1 of 16: 1, 1, (1, 1, 1)",
        "None of 16: 1, 1, (1, 1, 1)", "clusters of 2", "clusters of 2", "clusters of 2", "clusters of 2"]
    assert lines[lines.index("again") + 1:][:2] == ["clusters of 2", "launch 0 on (nil)"]
