#!/usr/bin/env python3
# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Examples beside what Triton makes of the same text: has Triton compile them, and `tilec explain --against triton=FOLDER`
# say what differs. With a GPU both are launched and timed on it, without one (--gpu H200) their resources and code are compared.
#
#   python3 beside_triton.py --tilec PATH/bin/tilec --examples PATH/examples --out FOLDER [--gpu H200] [--only matmul]
#
# FOLDER gets the folders of Triton's cache, and for each case a page, its data and its text. Needs Triton; CUPTI for samples
# (that of PyTorch will do, or --cupti), and nvdisasm (that of Triton will do, or --ptxas names a program beside it).

import argparse
import ast
import glob
import os
import shlex
import subprocess
import sys

from hottest_lines import CASES, find_cupti, find_ptxas

ADD = ("01-vector-add.tile", """--kernel add_masked --grid cdiv(n,BLOCK) --arg x_ptr=randn:f32[98432000]
    --arg y_ptr=randn:f32[98432000] --arg out_ptr=empty:f32[98432000] --arg n=98432000 --const BLOCK=1024""")
NAMES = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64"}


class Memory:
    """What of an array says how a kernel is compiled: type, and an address that is aligned."""

    def __init__(self, dtype):
        self.dtype = NAMES.get(dtype, f"int{dtype[1:]}")

    def data_ptr(self):
        return 0


class Driver:
    """Answers what Triton asks before it compiles, in place of one that needs a GPU."""

    def __init__(self, arch):
        from triton.backends.compiler import GPUTarget

        self.target = GPUTarget("cuda", arch, 32)

    def get_current_target(self):
        return self.target

    def get_current_device(self):
        return 0

    def get_current_stream(self, device):
        return 0


def launch_of(words):
    """The kernel's name if it is said, its values by name, and the options, of words for `tilec explain`."""
    kernel, values, options = None, {}, {}
    for option, word in zip(words, words[1:]):
        name, _, value = word.partition("=")
        if option == "--kernel":
            kernel = word
        elif option in ("--num-warps", "--num-stages"):
            options[option[2:].replace("-", "_")] = int(word)
        elif option == "--arg":
            values[name] = Memory(value.split(":")[1].split("[")[0]) if ":" in value else ast.literal_eval(value)
        elif option == "--const":
            values[name] = value
    return kernel, values, options


def compile_with_triton(path, words, folder, arch):
    """The folder of Triton's cache with the kernel; the text is that of the file, at its lines."""
    os.environ["TRITON_CACHE_DIR"] = folder
    import triton
    import triton.language as tl

    triton.runtime.driver.set_active(Driver(arch))
    names = {"triton": triton, "tl": tl, "libdevice": tl.extra.cuda.libdevice, "__name__": "example"}
    with open(path) as source:
        exec(compile(source.read(), path, "exec"), names)
    kernel, values, options = launch_of(words)
    functions = {name: value for name, value in names.items() if isinstance(value, triton.runtime.JITFunction)}
    function = functions[kernel] if kernel else list(functions.values())[-1]
    values = {name: eval(value, names) if isinstance(value, str) else value for name, value in values.items()}
    compiled = function.warmup(grid=(1, ), **values, **options)
    return os.path.dirname(glob.glob(os.path.join(folder, "*", f"{compiled.metadata.name}.cubin"))[0])


def main():
    parser = argparse.ArgumentParser(description="Explains examples beside what Triton makes of them.")
    parser.add_argument("--tilec", required=True)
    parser.add_argument("--examples", required=True)
    parser.add_argument("--out", required=True, help="a folder")
    parser.add_argument("--gpu", help="compare without a launch, for this GPU")
    parser.add_argument("--arch", type=int, default=90, help="the processor, as Triton calls it (90)")
    parser.add_argument("--cupti", default=find_cupti())
    parser.add_argument("--ptxas", default=find_ptxas())
    parser.add_argument("--only", default="", help="a part of the names of the cases")
    given = parser.parse_args()
    around = dict(os.environ)
    for name, value in (("TILEC_CUPTI", given.cupti), ("TILEC_PTXAS", given.ptxas)):
        if value:
            around[name] = value
    if given.cupti:
        # What CUPTI itself loads lies beside it.
        known = around.get("LD_LIBRARY_PATH")
        around["LD_LIBRARY_PATH"] = os.path.dirname(given.cupti) + (os.pathsep + known if known else "")
    device = ["--gpu", given.gpu] if given.gpu else ["--device", "cuda"]
    os.makedirs(given.out, exist_ok=True)
    failed = 0
    for name, (file, text) in {"vector add": ADD, **CASES}.items():
        if given.only not in name:
            continue
        stem = name.replace(",", "").replace(" ", "-")
        path, words = os.path.join(given.examples, file), shlex.split(text)
        folder = compile_with_triton(path, words, os.path.join(given.out, stem), given.arch)
        launch = [given.tilec, "explain", path, *words, *device, "--against", f"triton={folder}"]
        print(f"\n== {name}", flush=True)
        for output in ("html", "json", "txt"):
            done = subprocess.run([*launch, *(["--json"] if output == "json" else []),
                                   "-o", os.path.join(given.out, f"{stem}.{output}")], env=around,
                                  stderr=None if output == "txt" else subprocess.DEVNULL)
            failed += done.returncode != 0
        with open(os.path.join(given.out, f"{stem}.txt")) as written:
            print(written.read(), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
