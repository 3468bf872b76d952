#!/usr/bin/env python3
# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# How good the model of products is as a choice without a search, and as what a search tries (`tilec tune --product`): times of
# its first, and of the best of its twelve configurations, beside the fastest of all that were measured, and beside cuBLAS.
#
#   python3 judge_model.py docs/benchmarks/h200/random-turns.json

import json
import math
import sys

import random_matmul


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def judge(path):
    """By what is compared: ratios of all products that need no padding."""
    with open(path) as file:
        rows = {row["size"]: dict(row["sampled"], cublas=row["microseconds"]["cublas"])
                for row in json.load(file)["rows"] if row["kernel"] == "random_matmul"}
    found = {"first choice, of the fastest": [], "best of twelve, of the fastest": [], "first choice over cuBLAS": [],
             "best of twelve over cuBLAS": []}
    for case in random_matmul.timed():
        times = rows.get(case.size)
        if not times or any(case.pads):
            continue
        planned = [times[f"tilec_{c.label}"] for c in case.planned if f"tilec_{c.label}" in times]
        fastest = min(time for name, time in times.items() if name.startswith("tilec_"))
        for name, time in (("first choice", planned[0]), ("best of twelve", min(planned))):
            found[f"{name}, of the fastest"].append(time / fastest)
            found[f"{name} over cuBLAS"].append(times["cublas"] / time)
    return found


def main():
    for name, ratios in judge(sys.argv[1]).items():
        print(f"{name}: geometric mean {mean(ratios):.3f}, {min(ratios):.3f} to {max(ratios):.3f}, {len(ratios)} products")


if __name__ == "__main__":
    main()
