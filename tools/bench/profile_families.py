#!/usr/bin/env python3
# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Where the time of each family of tensor-core kernels goes: what the profiler says of tilec's fastest configuration and of
# the library's kernel (share of cycles in which the tensor cores work, issue slots, special functions, L2, device memory; what
# multiprocessors ask the L2 for), and what the warps of tilec's kernel wait for (the timeline inside the kernel).
#
#   python3 profile_families.py --cubins FOLDER --examples PATH/examples --best tensor.json --tilec PATH/bin/tilec --out FILE
#   python3 profile_families.py ... --cases "random_matmul 552x1376x1736 fp16 nt,random_matmul 872x528x1000 fp16 nt"
#
# FOLDER is made by compile_cubins.py, tensor.json by compare_tensor.py. Needs PyTorch, and ncu with access to the counters.

import argparse
import csv
import io
import json
import os
import subprocess
import sys
import tempfile

import tensor_cases
from tensor_case import Pointer, build_of, ours, source_of, steps_of, text

# One case of each family, by kernel and size.
FAMILIES = (("matmul", "8192x8192x8192 bf16 nn"), ("matmul", "4096x4096x4096 bf16 nn"), ("matmul", "8192x8192x8192 e4m3 nt"),
            ("matmul", "128x8192x8192 bf16 nn"), ("matmul_bias", "8192x8192x8192 bf16 gelu_tanh"),
            ("grouped_matmul", "16x(4096x4096) bf16 512to512rows"), ("w8a16", "4096x8192x8192 bf16 t"),
            ("w8a16", "16x8192x8192 bf16 t"), ("w4a16", "16x8192x8192 bf16 group 128"),
            ("attention", "b1h16 s16384 bf16 d64 full"), ("attention", "b1h16 s16384 bf16 d128 full"),
            ("attention", "b1h16 s16384 bf16 d128 causal"), ("attention", "b1h16 s16384 bf16 d256 full"),
            ("attention", "b16h16 s1024 bf16 d128 causal"), ("grouped_attention", "b1h32kv8 s16384 bf16 d128 full g4"),
            ("attention_backward", "b1h16 s16384 bf16 d128 full"), ("attention_backward", "b1h16 s16384 bf16 d64 full"),
            ("decode", "b1h32kv8 s65536 bf16 d128 page 16"))
# Percent of what a multiprocessor, or the GPU, could do in the time.
METRICS = {"tensor": "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed",
           "issue": "sm__inst_issued.avg.pct_of_peak_sustained_elapsed",
           "special": "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_elapsed",
           "shared": "l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed",
           "l2": "lts__throughput.avg.pct_of_peak_sustained_elapsed",
           "dram": "dram__throughput.avg.pct_of_peak_sustained_elapsed"}
# Of all kernels together: lines that are asked for, and sectors of 32 bytes.
COUNTS = {"l2_requests": "lts__t_requests_srcunit_tex.sum", "l2_sectors": "lts__t_sectors_srcunit_tex.sum"}
DURATION = "gpu__time_duration.sum"


def chosen(options):
    """Cases with the configuration that was the fastest in a result of compare_tensor.py."""
    wanted = [tuple(name.split(" ", 1)) for name in options.cases.split(",")] if options.cases else FAMILIES
    with open(options.best) as file:
        rows = {(row["kernel"], row["size"]): row for row in json.load(file)["rows"]}
    cases = {(case.name, case.size): case for case in tensor_cases.timed("", "")}
    for key in wanted:
        if key not in cases or key not in rows:
            raise SystemExit(f"no case '{' '.join(key)}' in {options.best}")
        case, row = cases[key], rows[key]
        names = [name for kind, name in row["best"].items() if kind.startswith("tilec")]
        fastest = min(names, key=row["microseconds"].get).removeprefix("tilec_")
        yield case, next(configuration for configuration in ours(case) if configuration.label == fastest)


def launch_all(options):
    """What the profiler watches: every case once by the library and once by tilec, behind a kernel that does nothing; their
    names go to a file in the same order."""
    import compare_tensor
    import torch
    options.library = None
    bench = compare_tensor.Bench(options)
    names = []
    for case, configuration in chosen(options):
        data = case.data()
        bench.cubins.prepare([build_of(*step) for step in steps_of(case, configuration)], 1)
        launches = {"library": next(iter(data.library().values()), None), "tilec": bench.ours(case, configuration, data)[0]}
        for who, launch in launches.items():
            if not launch:
                continue
            launch()
            torch.cuda.synchronize()
            names.append((case.name, case.size, who))
            torch.cuda.profiler.start()
            torch.cuda._sleep(1)
            launch()
            torch.cuda.synchronize()
            torch.cuda.profiler.stop()
        del data, launches
        torch.cuda.empty_cache()
    with open(options.launch, "w") as file:
        json.dump(names, file)


def profile(options):
    """What the profiler says, by case and by who."""
    with tempfile.TemporaryDirectory() as folder:
        launched = os.path.join(folder, "launched.json")
        metrics = ",".join([DURATION, *METRICS.values(), *COUNTS.values()])
        command = ["ncu", "--csv", "--page", "raw", "--clock-control", "none", "--profile-from-start", "off", "--metrics",
                   metrics, sys.executable, __file__, "--launch", launched, "--cubins", options.cubins, "--examples",
                   options.examples, "--best", options.best, "--cases", options.cases]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if not os.path.exists(launched):
            raise SystemExit(f"no profile: {(run.stdout + run.stderr)[-1500:]}")
        with open(launched) as file:
            names = iter(json.load(file))
    lines = [line for line in run.stdout.splitlines() if line.startswith('"')]
    rows = list(csv.DictReader(io.StringIO("\n".join(lines))))
    scale = {"us": 1, "ns": 1e-3, "ms": 1e3, "usecond": 1, "nsecond": 1e-3, "msecond": 1e3}[rows[0][DURATION]]
    found, current = {}, None

    def number(value):
        return float(value.replace(",", "")) if value else 0.0

    for row in rows[1:]:  # the first one has the units
        if "spin_kernel" in row["Kernel Name"]:
            current = next(names)
            continue
        kernel, size, who = current
        time = number(row[DURATION]) * scale
        one = found.setdefault((kernel, size), {}).setdefault(
            who, dict(microseconds=0.0, kernels=0, **dict.fromkeys(METRICS, 0.0), **dict.fromkeys(COUNTS, 0)))
        if time > one.get("longest", (0, ""))[0]:
            one["longest"] = time, row["Kernel Name"].split("(")[0]
        one["microseconds"] += time
        one["kernels"] += 1
        for name, metric in METRICS.items():
            one[name] += time * number(row[metric])
        for name, metric in COUNTS.items():
            one[name] += int(number(row[metric]))
    for sides in found.values():
        for one in sides.values():
            one.update({name: round(one[name] / one["microseconds"], 1) for name in METRICS},
                       microseconds=round(one["microseconds"], 1), longest=one["longest"][1])
    return found


def data_of(tensor, name, folder):
    """A tensor as an argument of `tilec run`: whole numbers in a file, others random ones."""
    import numpy
    kinds = {"bfloat16": "bf16", "float16": "f16", "float32": "f32", "float8_e4m3fn": "fp8e4nv"}
    kind = str(tensor.dtype).removeprefix("torch.")
    if kind in kinds:
        return f"randn:{kinds[kind]}[{tensor.numel()}]"
    path = os.path.join(folder, name + ".npy")
    numpy.save(path, tensor.flatten().cpu().numpy())
    return path


def waits(options, case, configuration, kernel):
    """Shares of their time that the warps of each role wait, by kind; of one kernel of the configuration."""
    import torch
    data = case.data()
    step, own = next(step for step in steps_of(case, configuration) if source_of(*step).entry == kernel)
    source = source_of(step, own)
    with tempfile.TemporaryDirectory() as folder:
        command = [options.tilec, "run", os.path.join(options.examples, source.file), "--kernel", source.entry, "--device",
                   "cuda", "--no-cache", "--json", "--timeline", os.path.join(folder, "timeline.json"), "--timeline-marks",
                   "20000", "--grid", ",".join(map(str, step.grid(own))), "--num-warps", str(own.warps), "--num-stages",
                   str(own.stages)]
        command += ["--num-ctas", str(own.ctas)] if own.ctas > 1 else []
        command += ["--split-k", str(own.split_k)] if own.split_k > 1 else []
        command += ["--persistent"] if own.persistent else []
        for name, value in step.values(own).items():
            known = data_of(data.arguments[value.tensor or name], name, folder) if isinstance(value, Pointer) else value
            command += ["--arg", f"{name}={known}"]
        for name, value in step.constants(own).items():
            command += ["--const", f"{name}={text(value)}"]
        del data
        torch.cuda.empty_cache()
        run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        return dict(failed=run.stderr.strip().splitlines()[:1])
    roles = next(value for key, value in json.loads(run.stdout).items() if key == "timeline")["waits"]
    return {role["role"]: {kind: round(share, 3) for kind, share in role["shares"].items()} for role in roles}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cubins", required=True)
    parser.add_argument("--examples", required=True)
    parser.add_argument("--best", required=True, help="result of compare_tensor.py")
    parser.add_argument("--cases", default="", help="kernels and sizes, separated by commas; otherwise one of each family")
    parser.add_argument("--tilec", help="program, for what warps wait for")
    parser.add_argument("--launch", help=argparse.SUPPRESS)
    parser.add_argument("--out")
    options = parser.parse_args()
    if options.launch:
        return launch_all(options)
    import torch
    found = profile(options)
    rows = []
    for case, configuration in chosen(options):
        row = dict(kernel=case.name, size=case.size, configuration=configuration.label, **found[(case.name, case.size)])
        if options.tilec:
            row["waits"] = waits(options, case, configuration, row["tilec"]["longest"])
        rows.append(row)
        print(json.dumps(row), flush=True)
    if options.out:
        with open(options.out, "w") as file:
            json.dump(dict(device=torch.cuda.get_device_name(), rows=rows), file, indent=1)
    return None


if __name__ == "__main__":
    main()
