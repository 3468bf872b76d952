#!/usr/bin/env python3
# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks an unpacked portable package.

usage: check_package.py DIR            DIR: the folder tilec-portable

Its programs run, its library exports tilec_* and nothing else, they need nothing of the machine but glibc, and the library
compiles a kernel in a process that has loaded another LLVM first, with its symbols in everybody's view.
"""

import ctypes
import glob
import pathlib
import subprocess
import sys

import check_needs

ROOT = pathlib.Path(__file__).resolve().parents[2]
OTHER_LLVM = ("/usr/lib/llvm-*/lib/libLLVM.so", "/usr/lib/llvm-*/lib/libLLVM-*.so", "/usr/lib/*/libLLVM*.so*")


def check_programs(package: pathlib.Path) -> None:
    source = package / "share/tilec/examples/05-softmax.tile"
    for command in (["tilec", "--version"], ["tile-lsp", "--version"], ["tilec", "kernels", source]):
        subprocess.run([package / "bin" / command[0], *command[1:]], check=True, stdout=subprocess.DEVNULL)


def check_exports(library: pathlib.Path) -> None:
    listed = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    foreign = [line.split()[-1] for line in listed.splitlines() if not line.split()[-1].startswith("tilec_")]
    if foreign:
        sys.exit(f"check_package: libtilec.so exports: {' '.join(foreign)}")


def compile_beside(llvm: str, library: pathlib.Path, source: pathlib.Path) -> None:
    other = ctypes.CDLL(llvm, mode=ctypes.RTLD_GLOBAL)
    # The other LLVM is alive: it has a context of its own while tilec compiles.
    other.LLVMContextCreate.restype = ctypes.c_void_p
    context = ctypes.c_void_p(other.LLVMContextCreate())
    sys.path.insert(0, str(ROOT / "tools" / "bench"))
    import libtilec

    image, _ = libtilec.Compiler(str(library)).compile(
        str(source), "softmax",
        {"x_ptr": "*fp32:16", "y_ptr": "*fp32:16", "x_stride": "i32", "y_stride": "i32", "n": "i32"},
        {"BLOCK": 1024}, 4, stage=libtilec.PTX)
    assert b".entry softmax(" in image, image[:200]
    other.LLVMContextDispose(context)
    print("check_package: compiles beside", llvm)


def main() -> None:
    package = pathlib.Path(sys.argv[1])
    library = package / "lib/libtilec.so"
    check_programs(package)
    check_exports(library)
    for file in (library, package / "bin/tilec"):
        if text := check_needs.problem(str(file)):
            sys.exit(f"check_package: {file} needs {text}")
    others = [path for pattern in OTHER_LLVM for path in sorted(glob.glob(pattern))]
    if others:
        compile_beside(others[-1], library, package / "share/tilec/examples/05-softmax.tile")
    else:
        print("check_package: no other LLVM on this machine, that part is left out")


if __name__ == "__main__":
    main()
