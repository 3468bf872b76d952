# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far the times that 'tilec explain' predicts are from those that were measured on an H200.

usage: predict.py [--tilec PATH] [--filter TEXT] [--jobs N] [-o FILE]

Takes the examples, sizes and configurations of docs/benchmarks/h200/compare.json and tensor.json that are listed here, and
needs no GPU: the simulator counts. Prints a line for each and a summary: the median error, the largest one, what is lost by
taking the configuration that is predicted to be the fastest, and how often the one that was measured to be is among the
first five.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import dataclasses
import json
import math
import pathlib
import re
import statistics
import subprocess
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).resolve().parents[2]
MEASURED = ROOT / "docs/benchmarks/h200"
TYPES = {"fp32": "f32", "tf32": "f32", "bf16": "bf16", "fp16": "f16", "i32": "i32", "e4m3": "f8e4m3"}


@dataclasses.dataclass
class Case:
    """One configuration of one launch, and what it took in microseconds."""
    launch: str
    configuration: str
    measured: float
    file: str
    kernel: str
    grid: str
    arguments: dict
    constants: dict
    options: list

    def command(self, tilec: str) -> list[str]:
        words = [tilec, "explain", f"examples/{self.file}", "--kernel", self.kernel, "--grid", self.grid, "--json",
                 *self.options]
        for option, values in (("--arg", self.arguments), ("--const", self.constants)):
            for name, value in values.items():
                words += [option, f"{name}={value}"]
        return words


def power_of_two(n: int) -> int:
    return 1 << (n - 1).bit_length()


def array(kind: str, dtype: str, *shape: int) -> str:
    return f"{kind}:{TYPES[dtype]}[{'x'.join(map(str, shape))}]"


def flat(names, size, dtype):
    n = int(size)
    data = {name: array("zeros", dtype, n) for name in names[:-1]}
    return data | {names[-1]: array("empty", dtype, n), "n": n}


def matrix(size):
    return map(int, size.split("x"))


def add_masked(size, dtype):
    return "01-vector-add.tile", "cdiv(n, BLOCK)", flat(("x_ptr", "y_ptr", "out_ptr"), size, dtype), ("BLOCK",)


def copy(size, dtype):
    return "15-copy.tile", "cdiv(n, BLOCK)", flat(("x_ptr", "y_ptr"), size, dtype), ("BLOCK",)


def gelu(size, dtype):
    return "04-gelu.tile", "cdiv(n, BLOCK)", flat(("x_ptr", "out_ptr"), size, dtype), ("TANH_FORM", "BLOCK")


def softmax(size, dtype):
    m, n = matrix(size)
    data = {"x_ptr": array("zeros", dtype, m, n), "y_ptr": array("empty", dtype, m, n), "x_stride": n, "y_stride": n, "n": n}
    return "05-softmax.tile", str(m), data, ("BLOCK",)


def rows(file):
    def make(size, dtype):
        m, n = matrix(size)
        data = {"x_ptr": array("zeros", dtype, m, n), "y_ptr": array("empty", dtype, m, n), "stride": n, "n": n}
        return file, str(m), data, ("BLOCK",)
    return make


def layer_norm(size, dtype):
    m, n = matrix(size)
    data = {"x_ptr": array("zeros", dtype, m, n), "w_ptr": array("zeros", dtype, n), "b_ptr": array("zeros", dtype, n),
            "y_ptr": array("empty", dtype, m, n), "mean_ptr": array("empty", "fp32", m),
            "rstd_ptr": array("empty", "fp32", m), "stride": n, "n": n, "eps": "0.00001"}
    return "06-layer-norm.tile", str(m), data, ("BLOCK",)


def row_sum(size, dtype):
    m, n = matrix(size)
    data = {"x_ptr": array("zeros", dtype, m, n), "out_ptr": array("empty", dtype, m), "stride": n, "m": m, "n": n}
    return "08-row-sum.tile", "cdiv(m, ROWS)", data, ("ROWS", "BLOCK")


def column_sum(size, dtype):
    m, n = matrix(size)
    data = {"x_ptr": array("zeros", dtype, m, n), "out_ptr": array("empty", dtype, n), "stride": n, "m": m, "n": n}
    return "09-column-sum.tile", "cdiv(n, COLS)", data, ("ROWS", "COLS")


def transpose_copy(size, dtype):
    m, n = matrix(size)
    data = {"x_ptr": array("zeros", dtype, m, n), "y_ptr": array("empty", dtype, n, m), "m": m, "n": n}
    return "10-transpose-copy.tile", "cdiv(m, TILE), cdiv(n, TILE)", data, ("TILE",)


def histogram(size, _):
    n, bins = map(int, size.split(" to "))
    data = {"x_ptr": f"randint(0,{bins}):i32[{n}]", "counts_ptr": f"zeros:i32[{bins}]", "n": n}
    return "14-histogram-atomics.tile", "cdiv(n, BLOCK)", data, ("BLOCK",)


def dropout(each):
    def make(size, dtype):
        return "24-dropout.tile", f"cdiv(n, {each} * BLOCK)", flat(("x_ptr", "y_ptr"), size, dtype) | {
            "p": 0.25, "seed": 20260}, ("BLOCK",)  # yapf: disable
    return make


def row_kernel(file, inputs="", vectors="", outputs="", sums="", numbers=None):
    """A program for each row of arrays of one shape: those that are read, vectors of a row's length, arrays that are
    written, and vectors of fp32 with an element for each row."""
    def make(size, dtype):
        m, n = matrix(size)
        data = {f"{name}_ptr": array("zeros", dtype, m, n) for name in inputs.split()}
        data |= {f"{name}_ptr": array("zeros", dtype, n) for name in vectors.split()}
        data |= {f"{name}_ptr": array("empty", dtype, m, n) for name in outputs.split()}
        data |= {f"{name}_ptr": array("zeros", "fp32", m) for name in sums.split()}
        return file, str(m), data | {"stride": n, "n": n} | (numbers or {}), ("BLOCK",)
    return make


def row_max(size, dtype):
    m, n = matrix(size)
    return "20-max-and-sum.tile", str(m), {"x_ptr": array("zeros", dtype, m, n), "value_ptr": array("empty", dtype, m),
                                           "index_ptr": f"empty:i64[{m}]", "stride": n, "n": n}, ("BLOCK",)


def sum_partials(size, dtype):
    n = int(size)
    data = {"x_ptr": array("zeros", dtype, n), "partial_ptr": "empty:f32[1056]", "n": n}
    return "20-max-and-sum.tile", "1056", data, ("BLOCK",)


def weight_partials(size, dtype):
    m, n = matrix(size)
    data = {f"{name}_ptr": array("zeros", dtype, m, n) for name in ("x", "dy")}
    data |= {f"{name}_ptr": array("zeros", "fp32", m) for name in ("mean", "rstd")}
    data |= {f"{name}_parts_ptr": array("empty", "fp32", 32, n) for name in ("dw", "db")}
    return ("18-layer-norm-weights-backward.tile", "cdiv(n, COLS), 32",
            data | {"stride": n, "m": m, "n": n, "strip": -(-m // 32)}, ("ROWS", "COLS"))


def weight_totals(size, dtype):
    parts, n = matrix(size)
    data = {f"{name}_parts_ptr": array("zeros", "fp32", parts, n) for name in ("dw", "db")}
    data |= {f"{name}_ptr": array("empty", dtype, n) for name in ("dw", "db")}
    return ("18-layer-norm-weights-backward.tile", "cdiv(n, COLS)", data | {"parts": parts, "n": n}, ("ROWS", "COLS"))


def scatter_add(size, dtype):
    shape, targets = size.split(" to ")
    n, width = matrix(shape)
    data = {"x_ptr": array("zeros", dtype, n, width), "index_ptr": f"randint(0,{targets}):i32[{n}]",
            "out_ptr": array("zeros", dtype, int(targets), width), "n": n, "width": width}
    return "13-scatter-add.tile", "cdiv(n, ROWS)", data, ("ROWS", "COLS")


def cross_entropy(size, dtype):
    m, n = matrix(size)
    data = {"x_ptr": array("zeros", dtype, m, n), "target_ptr": f"randint(0,{n}):i64[{m}]",
            "loss_ptr": array("empty", "fp32", m), "lse_ptr": array("empty", "fp32", m), "stride": n, "n": n,
            "ignored": -100}  # yapf: disable
    return "21-cross-entropy.tile", str(m), data, ("BLOCK",)


def rope(size, dtype):
    tokens, heads, width = matrix(size)
    data = {"x_ptr": array("zeros", dtype, tokens, heads, width), "cos_ptr": array("zeros", "fp32", tokens, width // 2),
            "sin_ptr": array("zeros", "fp32", tokens, width // 2), "y_ptr": array("empty", dtype, tokens, heads, width),
            "heads": heads, "half": width // 2}
    return "22-rope.tile", str(tokens), data, ("HEADS", "HALF")


def gated(size, dtype):
    m, n = matrix(size)
    return "23-gated-linear-units.tile", f"{m}, cdiv(n, BLOCK)", {
        "x_ptr": array("zeros", dtype, m, 2 * n), "y_ptr": array("empty", dtype, m, n), "n": n}, ("BLOCK",)  # yapf: disable


def embedding(size, dtype):
    shape, vocabulary = size.split(" of ")
    m, n = matrix(shape)
    data = {"table_ptr": array("zeros", dtype, int(vocabulary), n), "index_ptr": f"randint(0,{vocabulary}):i64[{m}]",
            "out_ptr": array("empty", dtype, m, n), "m": m, "n": n}
    return "25-embedding.tile", "cdiv(m, ROWS), cdiv(n, COLS)", data, ("ROWS", "COLS")


def quantise(file, narrow):
    def make(size, dtype):
        m, n = matrix(size)
        return file, str(m), {"x_ptr": array("zeros", dtype, m, n), "q_ptr": f"empty:{narrow}[{m}x{n}]",
                              "scale_ptr": array("empty", "fp32", m), "stride": n, "n": n}, ("BLOCK",)
    return make


def dequantise_int4(size, dtype):
    groups, group = matrix(size)
    data = {"packed_ptr": f"randint(0,256):u8[{groups}x{group // 2}]", "scale_ptr": array("zeros", dtype, groups),
            "out_ptr": array("empty", dtype, groups, group), "groups": groups}
    return "28-dequantise-int4.tile", "cdiv(groups, GROUPS)", data, ("GROUPS", "GROUP")


#: The weights of the model were fitted to some of these.
FITTED = {"add_masked": add_masked, "copy": copy, "gelu": gelu, "softmax": softmax, "layer_norm": layer_norm,
          "log_softmax": rows("16-log-softmax.tile"), "online_softmax": rows("11-online-softmax.tile"),
          "cumulative_sum": rows("31-cumulative-sum.tile"), "row_sum": row_sum, "column_sum": column_sum,
          "transpose_copy": transpose_copy, "histogram": histogram}
#: And to none of these but four: the latency of memory, the start of a program, cold caches, the attained bandwidth.
OTHERS = {
    "dropout": dropout(1), "dropout4": dropout(4), "row_max": row_max, "sum_partials": sum_partials,
    "rms_norm": row_kernel("07-rms-norm.tile", "x", "w", "y", numbers={"eps": "0.00001"}),
    "rms_norm_residual": row_kernel("19-rms-norm-residual.tile", "x residual", "w", "y h", numbers={"eps": "0.00001"}),
    "layer_norm_relu_add": row_kernel("29-layer-norm-relu-add.tile", "x residual", "w b", "y", numbers={"eps": "0.00001"}),
    "layer_norm_backward": row_kernel("17-layer-norm-backward.tile", "x dy", "w", "dx", "mean rstd"),
    "weight_partials": weight_partials, "weight_totals": weight_totals, "scatter_add": scatter_add,
    "cross_entropy": cross_entropy, "rope": rope, "swiglu": gated, "geglu": gated, "embedding": embedding,
    "quantise_int8": quantise("26-quantise-int8.tile", "i8"), "quantise_fp8": quantise("27-quantise-fp8.tile", "f8e4m3"),
    "dequantise_int4": dequantise_int4,
}  # yapf: disable
# How many configurations a search would keep.
KEPT = 5
# Larger arrays take long to make, and say nothing new.
MOST_ELEMENTS = 1 << 26


def elements_of(size: str) -> int:
    return math.prod(map(int, re.match(r"[\dx]+", size)[0].split("x")))


def pointer_cases() -> Iterator[Case]:
    for row in json.loads((MEASURED / "compare.json").read_text())["rows"]:
        kernel, size = row["kernel"], row["size"]
        make = {**FITTED, **OTHERS}.get(kernel)
        if make is None or size.endswith(("i8", "fp16")) or elements_of(size) > MOST_ELEMENTS:
            continue
        extents, dtype = size.rsplit("_", 1)
        file, grid, data, names = make(extents, dtype)
        for label, time in row["microseconds"].items():
            found = re.fullmatch(r"tilec_(.*)_w(\d+)", label)
            if found:
                constants = dict(zip(names, found[1].split("_"), strict=True))
                yield Case(f"{kernel} {size}", label, time, file, kernel, grid, data, constants,
                           ["--num-warps", found[2]])


def matmul_case(size: str) -> tuple[dict, str]:
    extents, dtype, layout = size.split()
    m, n, k = matrix(extents)
    result = {"e4m3": "fp16", "tf32": "fp32"}.get(dtype, dtype)
    strides = {"nn": (n, 1), "nt": (1, k)}[layout]
    return {"a_ptr": array("zeros", dtype, m, k), "b_ptr": array("zeros", dtype, k * n), "c_ptr": array("empty", result, m, n),
            "M": m, "N": n, "K": k, "stride_am": k, "stride_ak": 1, "stride_bk": strides[0], "stride_bn": strides[1],
            "stride_cm": n, "stride_cn": 1}, "cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N)"


def attention_case(size: str) -> tuple[dict, int, bool]:
    batch, heads, length, extent = map(int, re.match(r"b(\d+)h(\d+) s(\d+) bf16 d(\d+)", size).groups())
    shape = (batch * heads, length, extent)
    data = {name: array("zeros", "bf16", *shape) for name in ("q_ptr", "k_ptr", "v_ptr")}
    data |= {"out_ptr": array("empty", "bf16", *shape), "lse_ptr": array("empty", "fp32", *shape[:2]),
             "seq_len": length, "scale": "0.0883883"}
    return data, extent, "causal" in size


def dot_cases() -> Iterator[Case]:
    for row in json.loads((MEASURED / "tensor.json").read_text())["rows"]:
        kernel, size = row["kernel"], row["size"]
        for label, time in row["microseconds"].items():
            blocks = re.fullmatch(r"tilec_([\dx]+)_w(\d+)_s(\d+)", label)
            if not blocks:
                continue
            options = ["--num-warps", blocks[2], "--num-stages", blocks[3]]
            tile = blocks[1].split("x")
            if kernel == "matmul" and size.split()[-1] in ("nn", "nt") and size.split()[1] in TYPES:
                data, grid = matmul_case(size)
                constants = dict(zip(("BLOCK_M", "BLOCK_N", "BLOCK_K"), tile, strict=True))
                constants |= {"GROUP_M": 8, "ACC": "tl.float32", "ACTIVATION": "''"}
                yield Case(f"{kernel} {size}", label, time, "40-matmul.tile", "matmul", grid, data, constants, options)
            elif kernel == "attention" and "s16384" not in size and "d256" not in size:
                data, extent, causal = attention_case(size)
                constants = {"HEAD_DIM": extent, "BLOCK_M": tile[0], "BLOCK_N": tile[1], "CAUSAL": causal}
                heads = data["q_ptr"].split("[")[1].split("x")[0]
                yield Case(f"{kernel} {size}", label, time, "45-attention-forward.tile", "attention_forward",
                           f"cdiv(seq_len, BLOCK_M), {heads}", data, constants, options)


def predict(case: Case, tilec: str) -> dict:
    done = subprocess.run(case.command(tilec), cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{case.launch} {case.configuration}: {done.stderr}")
    time = json.loads(done.stdout)["time"]
    return {"launch": case.launch, "configuration": case.configuration, "measured": round(case.measured, 1),
            "predicted": time["predicted"], "bound": time["bound"]}


def errors_of(rows: list[dict]) -> dict:
    errors = sorted(abs(row["predicted"] / row["measured"] - 1) for row in rows)
    return {"cases": len(rows), "median": round(statistics.median(errors), 3),
            "percentile90": round(errors[len(errors) * 9 // 10], 3), "largest": round(errors[-1], 3)}  # yapf: disable


def summarise(results: list[dict]) -> dict:
    launches: dict[str, list[dict]] = {}
    for row in results:
        launches.setdefault(row["launch"], []).append(row)
    chosen = [rows for rows in launches.values() if len(rows) > 1]
    # What the configuration that is predicted to be the fastest takes, over what the fastest one takes.
    losses = [min(rows, key=lambda row: row["predicted"])["measured"] / min(row["measured"] for row in rows)
              for rows in chosen]
    # Among five of five it says nothing.
    ranked = [sorted(rows, key=lambda row: row["predicted"]) for rows in launches.values() if len(rows) > KEPT]
    first = [min(rows, key=lambda row: row["measured"]) in rows[:KEPT] for rows in ranked]
    unfitted = [row for row in results if row["launch"].split()[0] in OTHERS]
    return {**errors_of(results), "unfitted": errors_of(unfitted) if unfitted else None, "launches": len(launches),
            "lossOfTheChosen": round(statistics.fmean(losses) - 1, 3) if losses else None,
            "launchesOfMore": len(ranked), "bestAmongFive": round(statistics.fmean(first), 3) if first else None}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tilec", default=str(ROOT / "build/bin/tilec"))
    parser.add_argument("--filter", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("-o", "--output", type=pathlib.Path)
    given = parser.parse_args()
    cases = [case for case in (*pointer_cases(), *dot_cases()) if given.filter in f"{case.launch} {case.configuration}"]
    results = []
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        for row in pool.map(lambda case: predict(case, given.tilec), cases):
            results.append(row)
            print(f"{row['launch']:44} {row['configuration']:24} {row['measured']:8.1f} {row['predicted']:8.1f} "
                  f"{row['predicted'] / row['measured'] - 1:+6.0%}  {row['bound']}", flush=True)
    if not results:
        raise SystemExit("no case has that in its name")
    summary = summarise(results)
    print(json.dumps(summary))
    if given.output:
        lines = ",\n".join(json.dumps(row) for row in results)
        given.output.write_text(f'{{"device": "NVIDIA H200", "summary": {json.dumps(summary)}, "rows": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
