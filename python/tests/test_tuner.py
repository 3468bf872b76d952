# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""autotune and heuristics. `timed` has configurations timed as on a GPU, by a clock of the test."""

import json

import numpy as np
import pytest

import tilec
import tilec.language as tl
from tilec import tuner

N = 100


@tilec.jit
def add(x, y, z, n, BLOCK: tl.constexpr, SCALE: tl.constexpr = 1):
    tl.static_assert(BLOCK % 16 == 0, "not a multiple of 16")
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = o < n
    tl.store(z + o, (tl.load(x + o, mask=m) + tl.load(y + o, mask=m)) * SCALE, mask=m)


@tilec.jit
def accumulate(x, z, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z + o, tl.load(z + o, mask=o < n) + tl.load(x + o, mask=o < n), mask=o < n)


def grid(meta):
    return (tilec.cdiv(meta["n"], meta["BLOCK"]), )


def blocks(*sizes, **options):
    return [tilec.Config({"BLOCK": size}, **options) for size in sizes]


class Clock:
    """Stands for testing.do_bench: runs a configuration, and says that each takes longer than the one before."""

    def __init__(self):
        self.timed = []

    def __call__(self, call, quantiles):
        assert quantiles == (0.5, 0.2, 0.8)
        call()
        call()
        time = float(len(self.timed) + 1)
        self.timed.append(time)
        return [time, time, time]


@pytest.fixture
def timed(monkeypatch):
    monkeypatch.setattr(tuner, "_is_simulated", lambda values: False)
    return Clock()


class Recorder:
    """Stands for a kernel; has what tuner asks of one."""

    def __init__(self, fails=lambda kwargs: None):
        self.arg_names = ["x", "n", "BLOCK"]
        self.calls = []
        self.fails = fails

    def fn(self):
        """What is taken for the Python function."""

    def run(self, *args, grid, warmup, **kwargs):
        self.calls.append((args, grid, warmup, kwargs))
        error = self.fails(kwargs)
        if error:
            raise error
        return "compiled" if warmup else "launched"

    def launches(self):
        return [kwargs["BLOCK"] for _, _, warmup, kwargs in self.calls if not warmup]


# Config.


def test_config():
    config = tilec.Config({"BLOCK": 64, "GROUP": 8}, num_warps=8)
    assert config.all_kwargs() == {"BLOCK": 64, "GROUP": 8, "num_warps": 8, "num_ctas": 1, "num_stages": 3}
    assert str(config) == "BLOCK: 64, GROUP: 8, num_warps: 8, num_ctas: 1, num_stages: 3, maxnreg: None"
    assert config == tilec.Config({"BLOCK": 64, "GROUP": 8}, num_warps=8)
    assert hash(config) == hash(tilec.Config({"BLOCK": 64, "GROUP": 8}, num_warps=8))
    assert config != tilec.Config({"BLOCK": 64, "GROUP": 8}, num_warps=4)
    assert tilec.Config({}, maxnreg=128).all_kwargs()["maxnreg"] == 128
    assert tilec.Config({}, num_ctas=2).all_kwargs()["num_ctas"] == 2
    split = tilec.Config({"BLOCK": 64}, split_k=4)
    assert split.all_kwargs()["split_k"] == 4 and str(split).endswith("maxnreg: None, split_k: 4")
    assert split != tilec.Config({"BLOCK": 64})


# On the simulator.


def test_the_simulator_takes_the_first_configuration(rng, tensor):
    kernel = tilec.autotune(configs=blocks(64, 32, 128), key=["n"])(add)
    x, y = rng.standard_normal((2, N), dtype=np.float32)
    z = np.zeros_like(x)
    kernel[grid](tensor(x), tensor(y), tensor(z), N)
    np.testing.assert_allclose(z, x.astype(np.float64) + y, rtol=1e-6, atol=1e-6)
    assert kernel.best_config is kernel.configs[0] and kernel.configs_timings == {}
    assert list(kernel.cache.values()) == [kernel.configs[0]]
    kernel[grid](tensor(x), tensor(y), tensor(z), n=N - 1)
    assert len(kernel.cache) == 2


def test_the_simulator_skips_what_does_not_compile(capsys, monkeypatch):
    monkeypatch.setattr(tuner, "print_autotuning", True)
    kernel = tilec.autotune(configs=blocks(63, 32), key=[])(add)
    x = np.ones(N, np.float32)
    kernel[grid](x, x, x, N)
    assert kernel.best_config.kwargs == {"BLOCK": 32}
    assert [config.kwargs for config in kernel.reasons] == [{"BLOCK": 63}]
    out = capsys.readouterr().out
    assert "autotuned kernel 'add'" in out and "left out       BLOCK: 63" in out and "best: BLOCK: 32" in out


def test_no_configuration_works():
    kernel = tilec.autotune(configs=blocks(63, 65), key=[])(add)
    x = np.ones(N, np.float32)
    with pytest.raises(tuner.TuningError) as caught:
        kernel[grid](x, x, x, N)
    message = str(caught.value)
    assert "no configuration of kernel 'add' works" in message and "BLOCK: 63" in message and "BLOCK: 65" in message
    assert __file__ in message and isinstance(caught.value.__cause__, tilec.CompilationError)


def test_one_configuration_is_not_searched_for():
    kernel = tilec.autotune(configs=blocks(64), key=["n"], reset_to_zero=["z"])(accumulate)
    x, z = np.ones(N, np.float32), np.ones(N, np.float32)
    kernel[grid](x, z, N)
    np.testing.assert_array_equal(z, 2)
    with pytest.raises(tilec.CompilationError):
        tilec.autotune(configs=blocks(63), key=["n"])(add)[grid](x, x, x, N)


def test_no_configurations_are_the_default_one():
    recorder = Recorder()
    tilec.autotune(configs=[], key=[])(recorder)[1]("x", 5, 64)
    assert recorder.calls[-1][3] == {"num_warps": 4, "num_stages": 3, "num_ctas": 1}


# Timing.


def test_the_fastest_is_taken(timed, rng, tensor):
    kernel = tilec.autotune(configs=blocks(64, 32, 128), key=["n"], do_bench=lambda call, quantiles:
                            [4 - time for time in timed(call, quantiles)])(add)
    x, y = rng.standard_normal((2, N), dtype=np.float32)
    z = np.zeros_like(x)
    kernel[grid](tensor(x), tensor(y), z=tensor(z), n=N)
    np.testing.assert_allclose(z, x.astype(np.float64) + y, rtol=1e-6, atol=1e-6)
    assert kernel.best_config == kernel.configs[2] and kernel.bench_time > 0
    assert [timing[0] for timing in kernel.configs_timings.values()] == [3, 2, 1]
    kernel[grid](tensor(x), tensor(y), z=tensor(z), n=N)
    assert len(timed.timed) == 3


def test_what_the_inner_function_is_given(timed):
    recorder = Recorder()
    kernel = tilec.autotune(configs=blocks(64, 32), key=["n"], do_bench=timed)(recorder)
    assert kernel[(7, )]("x", n=5, debug=True) == "launched"
    assert recorder.calls[-1] == (("x", ), (7, ), False, {
        "n": 5, "debug": True, "BLOCK": 64, "num_warps": 4, "num_stages": 3, "num_ctas": 1})
    assert sorted(kwargs["BLOCK"] for _, _, warmup, kwargs in recorder.calls if warmup) == [32, 64]
    assert recorder.launches() == [64, 64, 32, 32, 64]


def test_other_keys_are_searched_anew(timed):
    kernel = tilec.autotune(configs=blocks(64, 32), key=["n"], do_bench=timed)(add)
    x, wide = np.ones(N, np.float32), np.ones(N, np.float64)
    for arguments, count in (((x, x, x, 50), 2), ((x, x, x, 50), 2), ((x, x, x, 51), 4), ((wide, wide, wide, 50), 6),
                             ((x, x, x, 51), 6)):
        kernel[grid](*arguments)
        assert len(timed.timed) == count
    assert (50, "float32", "float32", "float32") in kernel.cache


def test_failures_while_timing(timed):
    errors = {32: tilec.OutOfResources("too much shared memory")}
    recorder = Recorder(lambda kwargs: errors.get(kwargs["BLOCK"]))
    kernel = tilec.autotune(configs=blocks(32, 64), key=[], do_bench=timed)(recorder)
    kernel[1]("x", 5)
    assert kernel.best_config.kwargs == {"BLOCK": 64}
    assert list(kernel.reasons.values()) == [errors[32]]

    # Errors that are about the program get through.
    recorder = Recorder(lambda kwargs: ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        tilec.autotune(configs=blocks(32, 64), key=[], do_bench=timed)(recorder)[1]("x", 5)


def test_reset_to_zero_and_restore_value(timed, tensor):
    kernel = tilec.autotune(configs=blocks(64, 32), key=[], reset_to_zero=["z"], do_bench=timed)(accumulate)
    x, z = np.ones(N, np.float32), np.full(N, 5, np.float32)
    kernel[grid](tensor(x), tensor(z), N)
    np.testing.assert_array_equal(z, 1)
    kernel[grid](tensor(x), tensor(z), N)
    np.testing.assert_array_equal(z, 2)

    kernel = tilec.autotune(configs=blocks(64, 32), key=[], restore_value=["z"], do_bench=timed)(accumulate)
    z = np.full(N, 5, np.float32)
    kernel[grid](tensor(x), z=tensor(z), n=N)
    np.testing.assert_array_equal(z, 6)


def test_an_optional_tensor_to_reset(timed):
    kernel = tilec.autotune(configs=blocks(64, 32), key=[], reset_to_zero=["x"], restore_value=["x"],
                            do_bench=timed)(Recorder())
    assert kernel[1](None, 5) == "launched"


@pytest.mark.parametrize("option", ["reset_to_zero", "restore_value"])
def test_a_tensor_that_is_no_parameter(option):
    kernel = tilec.autotune(configs=blocks(64, 32), key=[], **{option: ["zz"]})(accumulate)
    x = np.ones(N, np.float32)
    with pytest.raises(ValueError, match="has no parameter 'zz'"):
        kernel[grid](x, x, N)


def test_hooks(timed):
    events = []
    configs = [tilec.Config({"BLOCK": size}, pre_hook=lambda nargs, size=size: events.append((size, nargs["n"])))
               for size in (64, 32)]
    kernel = tilec.autotune(configs=configs, key=[], do_bench=timed,
                            pre_hook=lambda kwargs, reset_only=False: events.append(("pre", reset_only)),
                            post_hook=lambda kwargs, exception: events.append(("post", exception)))(Recorder())
    kernel[1]("x", 5)
    one = lambda size: [(size, 5), ("pre", False), ("post", None)]  # noqa: E731
    assert events == [(64, 5), (32, 5)] + 2 * one(64) + 2 * one(32) + [("pre", True), (64, 5)]
    events.clear()
    kernel[1]("x", 5)
    assert events == [(64, 5)]


def test_the_hook_after_a_failure(timed):
    seen = []
    recorder = Recorder()
    recorder.fails = lambda kwargs: tilec.DeviceError("broken") if not recorder.calls[-1][2] else None
    kernel = tilec.autotune(configs=blocks(32, 64), key=[], do_bench=timed,
                            post_hook=lambda kwargs, exception: seen.append(exception))(recorder)
    with pytest.raises(tilec.DeviceError):
        kernel[1]("x", 5)
    assert isinstance(seen[0], tilec.DeviceError)


def test_hooks_that_change_descriptors(timed):

    class Descriptor:

        def __init__(self, base, block_shape):
            self.base, self.block_shape = base, block_shape

    def set_block(nargs):
        nargs["x"].block_shape = [nargs["BLOCK"]]

    recorder = Recorder()
    compiled = []
    recorder.fails = lambda kwargs: compiled.append((recorder.calls[-1][0][0].block_shape, kwargs["BLOCK"]))
    kernel = tilec.autotune(configs=blocks(32, 64, pre_hook=set_block), key=[], do_bench=timed)(recorder)
    descriptor = Descriptor(np.zeros(4), [1])
    kernel[1](descriptor, 5)
    assert all(shape == [block] for shape, block in compiled)
    assert descriptor.block_shape == [32]


# Pruning.


def test_pruning(timed):
    seen = {}

    def early(configs, named, **kwargs):
        seen.update(named=named, kwargs=kwargs)
        return [config for config in configs if config.kwargs["BLOCK"] >= named["n"]]

    def model(x, n, BLOCK, num_warps, factor, **kwargs):
        return abs(BLOCK - 256) * factor

    recorder = Recorder()
    kernel = tilec.autotune(configs=blocks(16, 32, 64, 128, 256, 512), key=["n"], do_bench=timed, prune_configs_by={
        "early_config_prune": early, "perf_model": model, "top_k": 2})(recorder)
    kernel[(3, )]("x", 64, factor=1)
    assert seen["named"] == {"x": "x", "n": 64}
    assert seen["kwargs"] == {"factor": 1, "grid": (3, ), "warmup": False}
    assert sorted(config.kwargs["BLOCK"] for config in kernel.configs_timings) == [128, 256]
    kernel.configs_top_k = 0.5
    kernel[1]("x", 16, factor=1)
    assert sorted(config.kwargs["BLOCK"] for config in kernel.configs_timings) == [64, 128, 256]
    kernel.configs_top_k = "all"
    with pytest.raises(TypeError, match="top_k"):
        kernel[1]("x", 17, factor=1)
    with pytest.raises(tuner.TuningError, match="pruning left no configuration"):
        kernel[1]("x", 1000, factor=1)


def test_pruning_on_the_simulator():
    kernel = tilec.autotune(configs=blocks(16, 32, 64), key=[], prune_configs_by={
        "early_config_prune": lambda configs, named, **kwargs: configs[1:]})(add)
    x = np.ones(N, np.float32)
    kernel[grid](x, x, x, N)
    assert kernel.best_config.kwargs == {"BLOCK": 32}


@pytest.mark.parametrize("arguments, keywords", [((64, ), {}), ((), {"BLOCK": 64}), ((), {"num_warps": 8})])
@pytest.mark.parametrize("count", [1, 2])
def test_conflicts_with_arguments(arguments, keywords, count):
    kernel = tilec.autotune(configs=blocks(64, 32)[:count], key=[])(add)
    x = np.ones(N, np.float32)
    with pytest.raises(ValueError, match="BLOCK|num_warps"):
        kernel[1](x, x, x, N, *arguments, **keywords)


# Heuristics, and decorators around each other.


def test_heuristics(rng, tensor):
    kernel = tilec.heuristics({"BLOCK": lambda args: tilec.next_power_of_2(args["n"]),
                               "SCALE": lambda args: 1 + (args["BLOCK"] == 128)})(add)
    x, y = rng.standard_normal((2, N), dtype=np.float32)
    z = np.zeros_like(x)
    kernel[(1, )](tensor(x), tensor(y), z=tensor(z), n=N)
    np.testing.assert_allclose(z, 2 * (x.astype(np.float64) + y), rtol=1e-6, atol=1e-6)
    assert kernel.__name__ == "add" and kernel.fn is add and kernel.arg_names == add.arg_names


@pytest.mark.parametrize("is_simulated", [False, True])
def test_decorators_in_any_order(timed, monkeypatch, is_simulated):
    monkeypatch.setattr(tuner, "_is_simulated", lambda values: is_simulated)
    tune = tilec.autotune(configs=blocks(64, 32), key=["n"], do_bench=timed)
    x = np.ones(N, np.float32)

    z = np.zeros_like(x)
    tune(tilec.heuristics({"SCALE": lambda args: args["BLOCK"]})(add))[grid](x, x, z, N)
    np.testing.assert_array_equal(z, 128)
    tilec.heuristics({"SCALE": lambda args: args["n"]})(tune(add))[grid](x, x, z, N)
    np.testing.assert_array_equal(z, 2 * N)
    both = tilec.autotune(configs=[tilec.Config({"SCALE": 3})], key=[])(tune(add))
    with pytest.raises(ValueError, match="num_ctas, num_stages, num_warps"):
        both[grid](x, x, z, N)


def test_a_kernel_is_no_function():
    with pytest.raises(RuntimeError, match=r"add\[grid\]"):
        tilec.autotune(configs=blocks(64), key=[])(add)(1, 2)


def test_an_autotuned_function_called_by_a_kernel():

    @tilec.autotune(configs=[tilec.Config({})], key=[])
    @tilec.heuristics({})
    @tilec.jit
    def inner(x):
        return x * 5

    @tilec.jit
    def outer(x):
        tl.store(x, inner(tl.load(x)))

    x = np.ones(1, np.int32)
    outer[1](x)
    assert x[0] == 5


def test_warmup():
    x = np.ones(N, np.float32)
    z = np.zeros_like(x)
    kernel = tilec.autotune(configs=blocks(64, 32), key=["n"])(
        tilec.heuristics({"SCALE": lambda args: args["BLOCK"]})(add))
    compiled = kernel.warmup(x, x, z, N, grid=(1, ))
    assert len(compiled) == 2 and compiled[0] is not compiled[1]
    assert kernel.run(x, x, z, N, grid=(1, ), warmup=True) == compiled
    assert kernel[grid](x, x, z, N) is compiled[0]
    outer = tilec.heuristics({"SCALE": lambda args: 1})(tilec.autotune(configs=blocks(64, 32), key=["n"])(add))
    assert len(outer.warmup(x, x, z, N, grid=(1, ))) == 2
    partly = tilec.autotune(configs=blocks(63, 64), key=["n"])(add)
    assert len(partly.warmup(x, x, z, N, grid=(1, ))) == 1 and len(partly.reasons) == 1
    with pytest.raises(tuner.TuningError):
        tilec.autotune(configs=blocks(63), key=["n"])(add).warmup(x, x, z, N, grid=(1, ))


def test_threads_search_once(timed):
    from test_threads import in_threads

    kernel = tilec.autotune(configs=blocks(64, 32), key=["n"], do_bench=timed)(add)
    arrays = [np.ones(N, np.float32) for _ in range(4)]
    in_threads(4, lambda number: kernel[grid](arrays[number], arrays[number], arrays[number], N))
    assert len(timed.timed) == 2


# What is kept on disk.


@pytest.fixture
def folder(monkeypatch, tmp_path):
    monkeypatch.setenv("TILEC_CACHE_DIR", str(tmp_path))
    return tmp_path / "autotune"


def test_results_on_disk(timed, folder):
    x = np.ones(N, np.float32)

    def search(configs, fn=add, n=N, **options):
        kernel = tilec.autotune(configs=configs, key=["n"], do_bench=timed, cache_results=True, **options)(fn)
        before = len(timed.timed)
        kernel[grid](x, x, np.zeros_like(x), n)
        assert kernel.best_config == configs[0]
        return len(timed.timed) - before

    assert search(blocks(64, 32)) == 2
    assert search(blocks(64, 32)) == 0
    assert search(blocks(64, 32), n=N - 1) == 2
    assert search(blocks(64, 128)) == 2
    assert search(blocks(64, 32), tilec.heuristics({"SCALE": lambda args: 2})(add)) == 0
    assert search(blocks(64, 32, pre_hook=lambda nargs: None)) == 0  # Hooks are the program's, not the file's.
    files = list(folder.iterdir())
    assert len(files) == 3 and all(file.name.startswith("add-") for file in files)
    record = json.loads(files[0].read_text())
    assert record["kernel"] == "add" and len(record["timings"]) == 2
    for file in files:
        file.write_text("{torn")
    assert search(blocks(64, 32)) == 2
    assert search(blocks(64, 32)) == 0


def test_results_on_disk_belong_to_a_source(timed, folder):
    x = np.ones(N, np.float32)
    for factor, count in ((2, 2), (3, 4), (2, 4)):

        @tilec.autotune(configs=blocks(64, 32), key=[], do_bench=timed, cache_results=True)
        @tilec.jit
        def scale(x, n, BLOCK: tl.constexpr):
            o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
            tl.store(x + o, tl.load(x + o, mask=o < n) * factor, mask=o < n)

        scale[grid](x, N)
        assert len(timed.timed) == count


def test_a_folder_that_cannot_be_written(timed, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TILEC_CACHE_DIR", str(tmp_path / "file"))
    x = np.ones(N, np.float32)
    tilec.autotune(configs=blocks(64, 32), key=[], do_bench=timed, cache_results=True)(add)[grid](x, x, x, N)
    assert len(timed.timed) == 2


def test_the_environment(monkeypatch, timed, folder, run_python, tmp_path):
    monkeypatch.setenv("TILEC_CACHE_AUTOTUNING", "1")
    x = np.ones(N, np.float32)
    tilec.autotune(configs=blocks(64, 32), key=[], do_bench=timed)(add)[grid](x, x, x, N)
    assert len(list(folder.iterdir())) == 1
    program = tmp_path / "program.py"
    program.write_text("from tilec import tuner\nprint(tuner.print_autotuning)\n")
    assert run_python(program, env={"TILEC_PRINT_AUTOTUNING": "1"}).strip() == "True"
    assert run_python(program, env={"TILEC_PRINT_AUTOTUNING": "0"}).strip() == "False"
