# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules in C of programs: compiled by the host's compiler, and kept in the cache."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import platform
import shutil
import subprocess
import sysconfig
import tempfile
from types import ModuleType
from typing import Sequence

from .. import knobs
from .cache import get_cache_manager, triton_key


@functools.cache
def platform_key() -> str:
    """What a module depends on besides its text."""
    return ",".join([platform.machine(), platform.system(), *platform.architecture()])


def _build(name: str, src: str, srcdir: str, library_dirs: Sequence[str] = (), include_dirs: Sequence[str] = (),
           libraries: Sequence[str] = (), ccflags: Sequence[str] = ()) -> str:
    """Compiles a file of C to a module in the same folder; returns its path."""
    compiler = knobs.build.cc or os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise RuntimeError("there is no C compiler: set CC, or install one")
    file = os.path.join(srcdir, name + (sysconfig.get_config_var("EXT_SUFFIX") or ".so"))
    folders = [*include_dirs, srcdir, sysconfig.get_paths()["include"]]
    command = [compiler, src, "-O3", "-shared", "-fPIC", "-Wno-psabi", "-o", file, *(f"-l{library}" for library in libraries),
               *(f"-L{folder}" for folder in library_dirs), *(f"-I{folder}" for folder in folders), *ccflags]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr}")
    return file


def compile_module_from_src(src: str, name: str, library_dirs: Sequence[str] | None = None,
                            include_dirs: Sequence[str] | None = None, libraries: Sequence[str] | None = None,
                            ccflags: Sequence[str] | None = None) -> ModuleType:
    """The module of Python that a text in C is; compiled once for all processes."""
    lists = [list(item or ()) for item in (library_dirs, include_dirs, libraries, ccflags)]
    key = hashlib.sha256(repr((triton_key(), platform_key(), src, lists)).encode()).hexdigest()
    cache = get_cache_manager(key)
    filename = name + (sysconfig.get_config_var("EXT_SUFFIX") or ".so")
    path = cache.get_file(filename)
    if path is None:
        with tempfile.TemporaryDirectory() as folder:
            text = os.path.join(folder, "main.c")
            with open(text, "w") as file:
                file.write(src)
            with open(_build(name, text, folder, *lists), "rb") as made:
                path = cache.put(made.read(), filename, binary=True)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


__all__ = ["compile_module_from_src", "platform_key"]
