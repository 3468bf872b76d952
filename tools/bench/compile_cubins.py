#!/usr/bin/env python3
# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles all kernels of the tensor-core comparison to cubins in a folder, for compare_tensor.py --cubins on another
# machine. A file's name tells source text, types, constants, warps and stages; what another library left is removed.
#
#   python3 compile_cubins.py --library PATH/lib/libtilec.so --examples PATH/examples --out FOLDER
#   python3 compile_cubins.py --library PATH/bin/tilec --examples PATH/examples --out FOLDER --first
#
# The exit code says whether something failed, spills, has dots by warpgroups that ptxas serializes, or more registers than a
# CTA can have. Needs ptxas, but neither a GPU nor PyTorch.

import argparse
import os
import sys
import time

import cubins
import tensor_cases
from tensor_case import HOPPER


REGISTERS = 65536  # of a multiprocessor
SPILLS, SERIALIZED, CROWDED = "spills", "serialized dots", "too many registers"


def shortcomings(metadata):
    """What keeps code from the speed that it was made for: texts by what it is."""
    found = {}
    if metadata.get("spillBytes", 0) > 0:
        found[SPILLS] = f"spills {metadata['spillBytes']} bytes"
    for entry in metadata.get("properties", ()):
        if entry["name"] == "serializedDots":
            found[SERIALIZED] = f"serialized dots, due to {entry['value']}"
    # They are given out by 8.
    registers = -(-metadata.get("registers", 0) // 8) * 8
    if registers * metadata["threadsPerCta"] > REGISTERS:
        found[CROWDED] = f"too many registers, {registers} for each of {metadata['threadsPerCta']} threads"
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True)
    parser.add_argument("--examples", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--filter", default="", help="texts, separated by commas, one of which a case contains")
    parser.add_argument("--likely", default="", metavar="FILE,...:MOST",
                        help="of the timed cases the configurations that were the fastest in earlier results")
    parser.add_argument("--timed-only", action="store_true", help="without the cases that are only checked")
    parser.add_argument("--first", action="store_true", help="of each case and kernel the first configuration alone")
    parser.add_argument("--fastest", action="store_true", help="the fastest configurations of the families, as measured, alone")
    parser.add_argument("--target", default=HOPPER, help="of the cases that are only checked")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    if options.fastest:
        builds = list(tensor_cases.fastest())
    else:
        cases = tensor_cases.keep_likely(tensor_cases.timed(options.filter), options.likely)
        builds = tensor_cases.builds(cases, first=options.first)
    if not options.timed_only and not options.first and not options.fastest:
        builds += tensor_cases.builds(tensor_cases.checked(options.filter), options.target)
        builds = list(dict.fromkeys(builds))
    start = time.monotonic()
    made = cubins.Cubins(options.examples, options.library, options.out)
    errors = made.prepare(builds, options.jobs)
    for build in [b for b, error in errors.items() if b.target != HOPPER and "bytes of shared memory" in error]:
        del errors[build]  # other processors have less
        builds.remove(build)
    for build, error in errors.items():
        print(f"FAILED {build.kernel} {build.label}: {error.splitlines()[0]}")
    counts = dict.fromkeys((SPILLS, SERIALIZED, CROWDED), 0)
    for build in builds:
        for kind, text in ({} if build in errors else shortcomings(made.results[build].result()[1])).items():
            counts[kind] += 1
            print(f"{text}: {build.kernel} {build.label}")
    found = ", ".join(f"{count} with {kind}" for kind, count in counts.items())
    print(f"{len(builds) - len(errors)} cubins, {len(errors)} failures, {found}, {time.monotonic() - start:.1f} s")
    sys.exit(bool(errors) or any(counts.values()))


if __name__ == "__main__":
    main()
