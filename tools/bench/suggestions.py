#!/usr/bin/env python3
# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Whether what `tilec explain` suggests first brings what it promises: the bad kernels of test/execution/explain, each with
# the change that its suggestion names, before and after on a GPU.
#
#   python3 suggestions.py --tilec PATH/bin/tilec --kernels test/execution/explain [--reports FOLDER] [--out FILE]
#
# With --promise FOLDER the reports are written there, without a GPU, and nothing is measured; --reports takes them.

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile


# By rule: what is replaced in the text, and in the arguments of the test's command.
CHANGES = {
    "uncoalesced": ([("x + rows * stride + column", "x + column * stride + rows")], []),
    "bank-conflicts": ([("* 32) % BLOCK", "% 4 * (BLOCK // 4) + tl.arange(0, BLOCK) // 4)")], []),
    "serial-atomics": ([("tl.atomic_add(total + values * 0, 1)", "tl.atomic_add(total, tl.sum(values * 0 + 1, axis=0))")], []),
    "spills": ([], [("--num-warps 4", "--num-warps 8")]),
    "tail": ([], [("--grid 133", "--grid 1064"), ("BLOCK=8192", "BLOCK=1024"), ("--num-warps 16", "--num-warps 4")]),
    "masked": ([], [("BLOCK=4096", "BLOCK=64")]),
    "block-size": ([], [("BLOCK=32", "BLOCK=256")]),
}


def arguments_of(path):
    """Those of the command in the test's first line with one."""
    with open(path) as file:
        line = next(line for line in file if "RUN: tilec explain" in line)
    return line.split("%s", 1)[1].split("|")[0].strip()


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{shlex.join(command)}: {done.stderr.strip()}")
    return done.stdout


def median(tilec, path, arguments):
    rows = json.loads(run([tilec, "bench", path, "--json", "--no-flush-l2", *shlex.split(arguments)]))["rows"]
    return rows[0]["medianUs"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tilec", required=True)
    parser.add_argument("--kernels", required=True)
    parser.add_argument("--promise", help="folder for the reports; nothing is measured")
    parser.add_argument("--reports", help="folder of reports; otherwise they are made here")
    parser.add_argument("--out")
    options = parser.parse_args()
    rows = []
    for rule, (in_text, in_arguments) in CHANGES.items():
        path = os.path.join(options.kernels, rule + ".tile")
        arguments = arguments_of(path)
        folder = options.promise or options.reports
        report = os.path.join(folder, rule + ".json") if folder else None
        if not options.reports:
            text = run([options.tilec, "explain", path, "--json", *shlex.split(arguments)])
            if report:
                os.makedirs(folder, exist_ok=True)
                with open(report, "w") as file:
                    file.write(text)
        else:
            with open(report) as file:
                text = file.read()
        first = json.loads(text)["verdict"]["suggestions"][0]
        if options.promise:
            print(rule, first["rule"], first["gain"], first["factor"], first["text"])
            continue
        with open(path) as file:
            source = file.read()
        for old, new in in_text:
            if old not in source:
                raise SystemExit(f"{path} has no '{old}'")
            source = source.replace(old, new)
        changed = arguments
        for old, new in in_arguments:
            if old not in changed:
                raise SystemExit(f"the command of {path} has no '{old}'")
            changed = changed.replace(old, new)
        with tempfile.TemporaryDirectory() as temporary:
            mended = os.path.join(temporary, rule + ".tile")
            with open(mended, "w") as file:
                file.write(source)
            before, after = median(options.tilec, path, arguments), median(options.tilec, mended, changed)
        rows.append(dict(rule=rule, first=first["rule"], promised=round(first["gain"], 2), before=before, after=after,
                         gained=round(before - after, 2), of_promised=round((before - after) / first["gain"], 2)))
        print(json.dumps(rows[-1]), flush=True)
    if options.out:
        with open(options.out, "w") as file:
            json.dump(dict(rows=rows), file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
