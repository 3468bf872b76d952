# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a shipped tile shape on the simulator, specialised as a launch would be, and fails where an access to shared memory
takes more wavefronts than its bytes need.

usage: conflict_free.py EXAMPLES product TYPE BLOCK_M BLOCK_N BLOCK_K WARPS
       conflict_free.py EXAMPLES attention FILE KERNEL BLOCK_M BLOCK_N WARPS WIDTH [MORE ARGUMENTS]
       conflict_free.py EXAMPLES weights BLOCK_M BLOCK_N BLOCK_K WARPS
"""

import itertools
import re
import subprocess
import sys

EXAMPLES, WHAT, *ARGUMENTS = sys.argv[1:]
ACCESS = re.compile(r"\S+\s+shared\s+\S+\s+\S+\s+\S+\s+wavefronts\s+(\S+)\s+(\S+)")


def check(label, file, grid, warps, arguments, constants, more=()):
    """Whether every access of a run, of which there have to be some, needs the wavefronts that it takes."""
    command = ["tilec", "run", f"{EXAMPLES}/{file}", "--device", "sim", "--counters", "--grid", grid, "--num-warps", warps]
    for flag, values in (("--arg", arguments), ("--const", constants)):
        for name, value in values.items():
            command += [flag, f"{name}={value}"]
    lines = subprocess.run([*command, *more], check=True, capture_output=True, text=True).stdout.splitlines()
    accesses = [(line, match) for line in lines if (match := ACCESS.match(line.strip()))]
    bad = [line for line, match in accesses if match[1] != match[2]]
    for line in bad if accesses else ["no access"]:
        print(f"{label}: {line}")
    return bool(accesses) and not bad


def product(kind, m, n, k, warps):
    out, total = {"i8": ("i32", "tl.int32")}.get(kind, ("bf16" if kind.startswith("f8") else kind, "tl.float32"))
    depth = int(k) * 3
    forms = {"n": lambda rows, columns: (f"{rows}x{columns}", columns, 1), "t": lambda rows, columns: (f"{columns}x{rows}", 1, rows)}
    results = []
    for a, b in itertools.product("nt", repeat=2):
        (left, am, ak), (right, bk, bn) = forms[a](m, depth), forms[b](depth, n)
        results.append(check(
            f"{kind} {m} {n} {k} {a}{b}", "40-matmul.tile", "1", warps,
            {"a_ptr": f"ones:{kind}[{left}]", "stride_am": am, "stride_ak": ak, "b_ptr": f"ones:{kind}[{right}]",
             "stride_bk": bk, "stride_bn": bn, "c_ptr": f"empty:{out}[{m}x{n}]", "M": m, "N": n, "K": depth,
             "stride_cm": n, "stride_cn": 1},
            {"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k, "GROUP_M": 8, "ACC": total, "ACTIVATION": None},
            ["--kernel", "matmul"]))
    return all(results)


def attention(file, kernel, m, n, warps, width, *more):
    length = 2 * int(m)
    inputs = {f"{name}_ptr": f"randn:bf16[1x{length}x{width}]" for name in "qkv"}
    return all([check(
        f"{kernel} {m} {n} {width} {causal}", file, "cdiv(seq_len, BLOCK_M), 1", warps,
        inputs | {"out_ptr": f"empty:bf16[1x{length}x{width}]", "lse_ptr": f"empty:f32[1x{length}]", "seq_len": length,
                  "scale": 0.1},
        {"HEAD_DIM": width, "BLOCK_M": m, "BLOCK_N": n, "CAUSAL": causal},
        ["--num-stages", "2", "--kernel", kernel, *more]) for causal in (True, False)])


def weights(m, n, k, warps):
    depth = int(k) * 3
    return check(
        f"w8a16 {m} {n} {k}", "50-w8a16-matmul.tile", "1, 2", warps,
        {"a_ptr": f"randn:bf16[{m}x{depth}]", "w_ptr": f"randint(-128,128):i8[{n}x{depth}]", "scale_ptr": f"rand:f32[{n}]",
         "c_ptr": f"empty:bf16[{m}x{n}]", "parts_ptr": f"empty:f32[2x{m}x{n}]", "arrivals_ptr": "zeros:i32[8]", "M": m,
         "N": n, "K": depth, "stride_wn": depth, "stride_wk": 1},
        {"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k, "GROUP_M": 8, "SPLIT_K": 2})


if not {"product": product, "attention": attention, "weights": weights}[WHAT](*ARGUMENTS):
    sys.exit(1)
