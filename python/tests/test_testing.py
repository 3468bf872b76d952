# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tilec.testing: times, comparisons and tables. What needs a GPU is in test_torch.py."""

import time

import numpy as np
import pytest

from tilec import testing


@pytest.fixture(autouse=True)
def no_gpu(monkeypatch):
    monkeypatch.setattr(testing, "_torch_with_cuda", lambda: None)


def test_do_bench_measures():
    calls = []

    def work():
        calls.append(time.perf_counter())
        time.sleep(0.002)

    milliseconds = testing.do_bench(work, warmup=4, rep=20)
    assert 2 <= milliseconds < 200
    assert len(calls) >= 1 + 5 + 1 + 1


def test_what_do_bench_returns():

    def bench(**options):
        return testing.do_bench(lambda: time.sleep(0.0005), warmup=1, rep=5, **options)

    times = bench(return_mode="all")
    assert isinstance(times, list) and all(time >= 0.5 for time in times)
    low, middle, high = bench(quantiles=[0.2, 0.5, 0.8])
    assert 0.5 <= low <= middle <= high
    assert isinstance(bench(quantiles=[0.5]), float)
    for mode in ("mean", "median", "min", "max"):
        assert bench(return_mode=mode) >= 0.5
    with pytest.raises(ValueError, match="return_mode is 'average'"):
        bench(return_mode="average")
    with pytest.raises(ValueError, match="not between 0 and 1"):
        bench(quantiles=[2])


def test_quantiles_are_those_of_numpy(rng):
    times = rng.random(17).tolist()
    wanted = [0, 0.2, 0.5, 0.77, 1]
    np.testing.assert_allclose(testing._summarize(times, wanted, "mean"), np.quantile(times, wanted))


def test_gradients_are_dropped():

    class Tensor:
        grad = 5

    tensor = Tensor()
    testing.do_bench(lambda: None, warmup=0, rep=0, grad_to_none=[tensor])
    assert tensor.grad is None


def test_cuda_graphs_need_a_gpu():
    with pytest.raises(RuntimeError, match="needs torch and a GPU"):
        testing.do_bench_cudagraph(lambda: None)


def test_assert_close(rng, tensor):
    x = rng.standard_normal((3, 40))
    testing.assert_close(tensor(x), tensor(x.copy()))
    testing.assert_close(tensor(x + 0.005), x)
    testing.assert_close(tensor(x * 1000 + 1), x * 1000, atol=0, rtol=lambda dtype: 100.0)
    with pytest.raises(AssertionError, match="wrong rows"):
        testing.assert_close(tensor(x + 0.02), tensor(x), err_msg="wrong rows")
    with pytest.raises(AssertionError):
        testing.assert_close(tensor(x + 0.005), tensor(x), atol=1e-3)
    x[0, 0] = np.nan
    testing.assert_close(tensor(x), tensor(x.copy()))
    with pytest.raises(AssertionError):
        testing.assert_close(tensor(x), np.nan_to_num(x))


def test_assert_close_of_numbers_and_lists():
    testing.assert_close(1, 1.005)
    testing.assert_close([1, 2.0], (1.001, 2))
    testing.assert_close(True, 1)
    with pytest.raises(AssertionError):
        testing.assert_close(1, 1.05)
    seen = []
    testing.assert_close(np.float16(1), 1, atol=lambda dtype: seen.append(dtype) or 0.0)
    assert seen == [np.float16]


def make_report(ylabel="GB/s", **options):

    @testing.perf_report(testing.Benchmark(["n"], [1, 2], "provider", ["a", "b"], ["A", "B"], "speeds", {"factor": 10},
                                           ylabel=ylabel, **options))
    def measure(n, provider, factor, offset=0):
        value = n * factor + (provider == "b") + offset
        return (value, value - 1.0, value + 1.0) if provider == "b" else value

    return measure


def test_perf_report_prints(capsys):
    assert make_report().run(print_data=True, offset=0.5) is None
    assert [line.split() for line in capsys.readouterr().out.splitlines()] == [
        ["speeds:"], ["n", "A", "(GB/s)", "B", "(GB/s)"], ["1", "10.500000", "11.500000"],
        ["2", "20.500000", "21.500000"]]
    make_report().run(print_data=True, diff_col=True)
    assert [line.split()[-1] for line in capsys.readouterr().out.splitlines()[1:]] == ["Diff", "1", "1"]


def test_perf_report_of_several_names(capsys):

    @testing.perf_report([testing.Benchmark(["m", "n"], [(1, 2), 3], "line", [0], ["L"], name, {}) for name in "pq"])
    def measure(m, n, line):
        return 10 * m + n

    measure.run(print_data=True)
    assert [line.split() for line in capsys.readouterr().out.splitlines() if line[-1] != ":"][1:3] == [
        ["1", "2", "12"], ["3", "3", "33"]]
    measure.benchmarks[0].x_vals = [(1, 2, 3)]
    with pytest.raises(ValueError, match="has 2 x_names"):
        measure.run()


def test_perf_report_with_pandas():
    pandas = pytest.importorskip("pandas")
    frame = make_report().run(return_df=True)
    assert isinstance(frame, pandas.DataFrame) and frame.columns.tolist() == ["n", "A (GB/s)", "B (GB/s)"]
    assert frame["B (GB/s)"].tolist() == [11, 21]


def test_perf_report_saves(tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    make_report(x_log=True, styles=[("red", "-"), ("blue", "--")]).run(save_path=str(tmp_path / "results"))
    folder = tmp_path / "results"
    assert sorted(file.name for file in folder.iterdir()) == ["results.html", "speeds.csv", "speeds.png"]
    assert (folder / "speeds.csv").read_text().splitlines()[1] == "1,10,11"
