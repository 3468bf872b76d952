#!/usr/bin/env python3
# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Whether `tilec explain --device cuda`, which samples through CUPTI, finds the line that NVIDIA's profiler finds: for
# products through pointers and through descriptors, attention and softmax, the samples of each line by both.
#
#   python3 hottest_lines.py --tilec PATH/bin/tilec --examples PATH/examples [--out FILE] [--only matmul]
#
# Needs a GPU, ncu with access to the counters, CUPTI (that of PyTorch will do, or --cupti), and ptxas with nvdisasm beside
# it (those of Triton will do, or --ptxas). Both profilers see the same code: ncu watches `tilec explain` without CUPTI.

import argparse
import collections
import csv
import glob
import io
import json
import os
import re
import shlex
import shutil
import site
import subprocess
import sys
import tempfile

# By name: the example, and what it is launched with.
CASES = {
    "matmul, pointers": ("40-matmul.tile", """--kernel matmul --grid "cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N)" --num-warps 8
        --num-stages 4 --arg a_ptr=randn:f16[4096x4096] --arg b_ptr=randn:f16[4096x4096] --arg c_ptr=empty:f16[4096x4096]
        --arg M=4096 --arg N=4096 --arg K=4096 --arg stride_am=4096 --arg stride_ak=1 --arg stride_bk=4096
        --arg stride_bn=1 --arg stride_cm=4096 --arg stride_cn=1 --const BLOCK_M=128 --const BLOCK_N=128
        --const BLOCK_K=64 --const GROUP_M=8 --const ACC=tl.float32 --const "ACTIVATION='none'" """),
    "matmul, descriptors": ("43-matmul-descriptors.tile", """--grid 132 --num-warps 8 --num-stages 4
        --arg a_ptr=randn:f16[4096x4096] --arg b_ptr=randn:f16[4096x4096] --arg c_ptr=empty:f16[4096x4096]
        --arg M=4096 --arg N=4096 --arg K=4096 --const BLOCK_M=128 --const BLOCK_N=256 --const BLOCK_K=64
        --const GROUP_M=8"""),
    "attention forward": ("45-attention-forward.tile", """--grid "cdiv(seq_len, BLOCK_M), 16" --num-warps 8
        --arg q_ptr=randn:f16[16x4096x64] --arg k_ptr=randn:f16[16x4096x64] --arg v_ptr=randn:f16[16x4096x64]
        --arg out_ptr=empty:f16[16x4096x64] --arg lse_ptr=empty:f32[16x4096] --arg seq_len=4096 --arg scale=0.125
        --const HEAD_DIM=64 --const BLOCK_M=128 --const BLOCK_N=64 --const CAUSAL=False"""),
    "softmax": ("05-softmax.tile", """--grid 8192 --num-warps 8 --arg x_ptr=randn:f32[8192x8192]
        --arg y_ptr=empty:f32[8192x8192] --arg x_stride=8192 --arg y_stride=8192 --arg n=8192 --const BLOCK=8192"""),
}
ALL_SAMPLES = re.compile(r"warp stall sampling \(all samples\)|sampling data \(all\)|^# samples$", re.IGNORECASE)


def packages():
    """Folders of installed Python packages."""
    found = [*site.getsitepackages(), site.getusersitepackages(), *sys.path]
    return [path for path in dict.fromkeys(found) if path and os.path.isdir(path)]


def find_cupti():
    """The newest libcupti of the NVIDIA packages; None where there is none, and tilec looks for it."""
    found = [path for folder in packages()
             for pattern in ("nvidia/*/lib/libcupti.so.[0-9]*", "nvidia/*/extras/CUPTI/lib64/libcupti.so.[0-9]*")
             for path in glob.glob(os.path.join(folder, pattern))]
    return max(found, key=lambda path: [int(part) for part in re.findall(r"\d+", path.rsplit(".so.", 1)[1])], default=None)


def find_ptxas():
    """A ptxas with nvdisasm beside it: of the path, of a toolkit, of a package."""
    folders = [*os.environ.get("PATH", "").split(os.pathsep), "/usr/local/cuda/bin"]
    for folder in packages():
        folders += [os.path.join(folder, "triton/backends/nvidia/bin"), *glob.glob(os.path.join(folder, "nvidia/*/bin"))]
    for folder in folders:
        if all(os.access(os.path.join(folder, name), os.X_OK) for name in ("ptxas", "nvdisasm")):
            return os.path.join(folder, "ptxas")
    raise SystemExit(f"no ptxas with nvdisasm beside it; looked in {', '.join(dict.fromkeys(folders))}")


class Failure(Exception):
    pass


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode:
        raise Failure(f"{shlex.join(command)} ended with {done.returncode}: {(done.stdout + done.stderr).strip()[-2000:]}")
    return done


def explain_command(options, case):
    file, arguments = CASES[case]
    return [options.tilec, "explain", os.path.join(options.examples, file), *shlex.split(arguments), "--ptxas",
            options.ptxas, "--device", "cuda", "--json"]


def explain(options, case, folder):
    """The report with samples."""
    environment = dict(os.environ)
    command = [*explain_command(options, case), "-o", os.path.join(folder, "report.json")]
    if options.cupti:
        command += ["--cupti", options.cupti]
        # What CUPTI itself loads lies beside it.
        known = environment.get("LD_LIBRARY_PATH")
        environment["LD_LIBRARY_PATH"] = os.path.dirname(options.cupti) + (os.pathsep + known if known else "")
    done = run(command, env=environment)
    with open(os.path.join(folder, "report.json")) as file:
        report = json.load(file)
    if not report["samples"] or "absent" in report["samples"]:
        raise Failure(f"tilec has no samples: {done.stderr.strip() or report['samples']}")
    return report


def profile(options, case, kernel, folder):
    """The rows of ncu's source page for one launch, by the names of their columns."""
    result = os.path.join(folder, "profile.ncu-rep")
    done = run([options.ncu, "--target-processes", "all", "--section", "SourceCounters", "--kernel-name", f"regex:^{re.escape(kernel)}$", "--launch-skip", "1",
         "--launch-count", "1", "--clock-control", "none", "--force-overwrite", "--export", result,
         *explain_command(options, case), "--cupti", os.path.join(folder, "none.so"), "-o", os.path.join(folder, "watched.json")])
    if not os.path.exists(result):
        raise Failure(f"ncu has profiled nothing: {(done.stdout + done.stderr).strip()[-2000:]}")
    page = run([options.ncu, "--import", result, "--page", "source", "--print-source", "sass", "--csv"]).stdout
    rows = [row for row in csv.reader(io.StringIO(page)) if row]
    head = next((number for number, row in enumerate(rows) if "Source" in row), None)
    if head is None:
        raise Failure(f"no 'Source' in what ncu prints: {page[:1500]}")
    names = rows[head]
    return [dict(zip(names, row)) for row in rows[head + 1:] if len(row) == len(names)]


def opcode(text):
    """LDG of '@!P0 LDG.E.128 R4, ...'."""
    words = [word for word in text.split() if not word.startswith("@") and word not in ("{", "}")]
    return re.split(r"[.;]", words[0])[0] if words else ""


def without_padding(rows):
    """Rows of (opcode, ...) without the NOPs behind the code."""
    while rows and rows[-1][0] in ("NOP", ""):
        rows = rows[:-1]
    return rows


def instructions_of(report):
    """Opcode and indices of the lines of each instruction, in the order of the code."""
    sass = next(stage for stage in report["stages"] if stage["name"] == "sass")
    rows = []
    for text, source in zip(sass["lines"], sass["source"]):
        found = re.match(r"\s*/\*[0-9a-f]+\*/(.*)", text)
        if found:
            rows.append((opcode(found[1]), source))
    return without_padding(rows)


def number(text):
    text = (text or "").replace(",", "")
    return float(text) if re.fullmatch(r"[0-9.]+(e[+-]?[0-9]+)?", text) else 0.0


def lines_of(rows, report):
    """Samples of ncu by the index of the line, and of the reasons at each."""
    column = next((name for name in rows[0] if ALL_SAMPLES.search(name)), None)
    if not column:
        raise Failure(f"ncu has no column of samples among {', '.join(rows[0])}")
    theirs = without_padding([(opcode(row["Source"]), row) for row in rows])
    ours = instructions_of(report)
    different = [number for number, (a, b) in enumerate(zip(theirs, ours)) if a[0] != b[0]]
    # Versions of the disassembler call a few instructions by another name.
    if len(theirs) != len(ours) or len(different) > len(ours) // 50:
        at = different[0] if different else min(len(theirs), len(ours)) - 1
        raise Failure(f"ncu saw other code: {len(theirs)} instructions, not {len(ours)}; {len(different)} differ, number {at} is "
                      f"{theirs[at][0]}, not {ours[at][0]}")
    samples, reasons = collections.Counter(), collections.defaultdict(collections.Counter)
    for (_, row), (_, source) in zip(theirs, ours):
        for index in source or [None]:
            samples[index] += number(row[column]) / max(1, len(source))
            if index is not None:
                for name, value in row.items():
                    if name.startswith("stall_") and "not_issued" not in name.lower().replace(" ", "_"):
                        reasons[index][name] += number(value)
    if not sum(samples.values()):
        raise Failure("ncu has no samples")
    return samples, reasons


def compare(options, case):
    with tempfile.TemporaryDirectory() as folder:
        report = explain(options, case, folder)
        rows = profile(options, case, report["kernel"]["name"], folder)
    if not rows:
        raise Failure("the source page of ncu is empty")
    theirs, reasons = lines_of(rows, report)
    ours = collections.Counter({index: line["samples"]["self"] for index, line in enumerate(report["lines"]) if line["samples"]})
    ours[None] = report["samples"]["unplaced"]
    totals = sum(ours.values()), sum(theirs.values())

    def top(counts, total):
        return [dict(line=report["lines"][index]["line"], share=round(count / total, 3))
                for index, count in counts.most_common(4) if index is not None][:3]

    best_ours = max((index for index in ours if index is not None), key=ours.get)
    best_theirs = max((index for index in theirs if index is not None), key=theirs.get)
    stalls = report["lines"][best_ours]["samples"]["stalls"]
    line = report["lines"][best_ours]
    file = report["files"][line["file"]]
    return dict(
        case=case, agrees=best_ours == best_theirs, text=file["lines"][line["line"] - file["firstLine"]].strip(),
        # How much of one distribution lies within the other.
        overlap=round(sum(min(ours[index] / totals[0], theirs[index] / totals[1]) for index in ours), 3),
        tilec=dict(samples=totals[0], dropped=report["samples"]["dropped"], lines=top(ours, totals[0]),
                   reason=max(stalls, key=stalls.get)),
        ncu=dict(samples=round(totals[1]), lines=top(theirs, totals[1]),
                 reason=reasons[best_theirs].most_common(1)[0][0] if reasons[best_theirs] else None),
        microseconds=dict(predicted=report["time"]["predicted"], measured=report["time"]["measured"],
                          warm=report["time"]["measuredWarm"]))


def describe_machine(options):
    """The GPU with its driver, and the profiler's version, as far as they say."""
    found = {}
    for name, command in (("device", ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]),
                          ("ncu", [options.ncu, "--version"])):
        try:
            found[name] = run(command).stdout.strip().splitlines()[-1]
        except (Failure, OSError, IndexError) as failure:
            print(f"not known: {failure}", flush=True)
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tilec", required=True)
    parser.add_argument("--examples", required=True)
    parser.add_argument("--ncu", default=shutil.which("ncu") or "ncu")
    parser.add_argument("--cupti", default=find_cupti(), help="libcupti.so; otherwise that of the installed packages")
    parser.add_argument("--ptxas", help="with nvdisasm beside it; otherwise that of the path or of an installed package")
    parser.add_argument("--only", default="", help="a part of the names of the cases")
    parser.add_argument("--out")
    options = parser.parse_args()
    options.ptxas = options.ptxas or find_ptxas()
    print(f"CUPTI {options.cupti or 'where tilec finds it'}, ptxas {options.ptxas}, {options.ncu}", flush=True)
    machine = describe_machine(options)
    rows, failures = [], 0
    for case in CASES:
        if options.only not in case:
            continue
        try:
            rows.append(compare(options, case))
        except (Failure, OSError) as failure:
            failures += 1
            rows.append(dict(case=case, failed=str(failure)[:500]))
            print(f"FAILED {case}: {failure}", flush=True)
            continue
        print(json.dumps(rows[-1]), flush=True)
    agreeing = sum(row.get("agrees", False) for row in rows)
    print(f"{agreeing} of {len(rows)} agree on the hottest line")
    if options.out:
        with open(options.out, "w") as file:
            json.dump(dict(machine, agree=agreeing, rows=rows), file, indent=1)
    return 1 if failures or agreeing < len(rows) else 0


if __name__ == "__main__":
    sys.exit(main())
