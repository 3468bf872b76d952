# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Triton makes of a launch, for a report beside ours: `tilec.explain(..., against="triton")`.

The text that tilec compiles is a program of Triton's, too: `_sources` binds every name to what Triton calls it. It is
run as modules, so that Triton's decorators see it, and what comes of it is written as Triton's cache would have it. No
GPU is needed; one that is there is not asked.
"""

from __future__ import annotations

import contextlib
import importlib.abc
import importlib.util
import json
import linecache
import os
import re
import sys
from pathlib import Path

from . import _values, errors
from ._locks import Lock

#: What Triton's launches take besides a kernel's arguments.
_OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")

#: Modules, the active driver and the compiler of a process are replaced meanwhile.
_lock = Lock()


def write_folder(kernel, args: tuple, kwargs: dict, target: str, folder: str) -> str:
    """Has Triton compile a launch of a kernel for a target, "sm_90a"; the files are in a folder of its own below."""
    triton = _import_triton()
    with _lock, _own_compiler(triton), _driver(triton, target), _cache(os.path.join(folder, "cache")):
        with _modules(kernel, [*args, *kwargs.values()]) as namespace:
            function = _function_of(kernel, namespace)
            values = [_argument(value, namespace) for value in args]
            named = {name: _argument(value, namespace) for name, value in kwargs.items()
                     if name in function.arg_names or name in _OPTIONS}
            try:
                compiled = function.warmup(*values, grid=(1, ), **named)
            except Exception as error:
                raise errors.CompilationError(f"Triton {triton.__version__} does not compile kernel "
                                              f"'{function.__name__}': {error}") from error
    return _write(compiled, Path(folder))


def _import_triton():
    from . import standin

    if not standin.is_installed():
        try:
            import triton
            import triton.backends.compiler  # noqa: F401
            import triton.runtime.driver  # noqa: F401

            return triton
        except ImportError as error:
            raise errors.Unavailable(f"Triton cannot be imported, which 'against' asks for: {error}") from error
    raise errors.Unavailable("Triton cannot be imported, which 'against' asks for: tilec stands in for it in this process")


class _Driver:
    """Answers what Triton asks before it compiles."""

    def __init__(self, target):
        self.target = target

    def get_current_target(self):
        return self.target

    def get_current_device(self) -> int:
        return 0

    def get_current_stream(self, device: int) -> int:
        return 0


@contextlib.contextmanager
def _driver(triton, target: str):
    from triton.backends.compiler import GPUTarget
    from triton.runtime.driver import driver

    # Its own is made when it is first asked for, which needs a GPU.
    names = [name for name in ("_active", "_default", "active", "default") if name in vars(driver)]
    before = {name: vars(driver)[name] for name in names}
    driver.set_active(_Driver(GPUTarget("cuda", int(re.findall(r"\d+", target)[0]), 32)))
    try:
        yield
    finally:
        if "_active" in before or "active" in before:
            vars(driver).update(before)
        else:
            driver.reset_active()


@contextlib.contextmanager
def _own_compiler(triton):
    """Triton's, also where tilec has taken its place."""
    from . import takeover

    originals = takeover._originals
    if not originals:
        yield
        return
    from triton.compiler import compiler
    from triton.runtime.jit import JITFunction

    modules = (compiler, triton.compiler, triton)
    taken, run = compiler.compile, JITFunction.run
    for module in modules:
        module.compile = originals["compile"]
    JITFunction.run = originals["run"]
    try:
        yield
    finally:
        JITFunction.run = run
        for module in modules:
            module.compile = taken


@contextlib.contextmanager
def _cache(folder: str):
    """Has Triton compile afresh: code in its cache may say that the same text is from another file."""
    before = os.environ.get("TRITON_CACHE_DIR")
    os.environ["TRITON_CACHE_DIR"] = folder
    try:
        yield
    finally:
        if before is None:
            del os.environ["TRITON_CACHE_DIR"]
        else:
            os.environ["TRITON_CACHE_DIR"] = before


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules of a kernel's text."""

    def __init__(self, modules: dict[str, str]):
        self.modules = modules

    def find_spec(self, name, path=None, target=None):
        if name not in self.modules and name != _package():
            return None
        return importlib.util.spec_from_loader(name, self, is_package=name == _package())

    def exec_module(self, module):
        if module.__name__ in self.modules:
            _run_text(self.modules[module.__name__], module.__dict__)


def _package() -> str:
    from ._sources import _PACKAGE

    return _PACKAGE


@contextlib.contextmanager
def _modules(kernel, values: list):
    """The names of the module that a kernel's text is; those that it imports can be imported meanwhile. Functions among
    the values of its arguments are among them."""
    if _is_of_triton(kernel._function):
        yield {}
        return
    from ._sources import make_source

    functions = {_values.function_name(function): function for function in _values.functions_of(values)}
    source = make_source(kernel._function, functions)
    modules = {path.removesuffix(".py").replace("/", "."): text for path, text in source.modules}
    finder = _Finder(modules)
    sys.meta_path.insert(0, finder)
    namespace = {"__name__": f"{_package()}.kernel"}
    try:
        _run_text(source.text, namespace)
        yield namespace
    finally:
        sys.meta_path.remove(finder)
        for name in [_package(), *modules]:
            sys.modules.pop(name, None)


def _run_text(text: str, namespace: dict):
    """Runs a module whose first line may say where the next one is from: there Python, and Triton, find it as well."""
    file, line, rest = "<kernel>", 1, text
    located = re.match(r'#line (\d+) "(.*)"\n', text)
    if located:
        line, file, rest = int(located[1]), located[2], text[located.end():]
    padded = "\n" * (line - 1) + rest
    # What the file has at that place is this text, unless it was changed: then it is taken from here.
    lines = rest.splitlines()
    at = next((number for number, text in enumerate(lines) if text.lstrip().startswith(("def ", "class "))), 0)
    if linecache.getline(file, line + at).rstrip() != lines[at].rstrip():
        file = f"<{file}>"
        linecache.cache[file] = (len(padded), None, padded.splitlines(keepends=True), file)
    # Names are bound at the end of the text; annotations ask for them before.
    exec(rest.rstrip("\n").rpartition("\n")[2], namespace)
    exec(compile(padded, file, "exec"), namespace)
    _make_constants(namespace)


def _make_constants(namespace: dict):
    """Values of the program are constants to a kernel, which Triton wants to be told."""
    from triton.language import constexpr

    for name, value in list(namespace.items()):
        if not name.startswith("__") and isinstance(value, (bool, int, float, str)):
            namespace[name] = constexpr(value)


def _function_of(kernel, namespace: dict):
    """A function of Triton's that nothing was compiled of."""
    own = kernel._function
    if _is_of_triton(own):
        return type(own)(own.fn, do_not_specialize=own.do_not_specialize,
                         do_not_specialize_on_alignment=own.do_not_specialize_on_alignment, debug=own.debug)
    made = namespace[_values.python_function(own).__name__]
    made.do_not_specialize = own.do_not_specialize
    return type(made)(made.fn, do_not_specialize=own.do_not_specialize,
                      do_not_specialize_on_alignment=own.do_not_specialize_on_alignment, debug=own.debug)


def _is_of_triton(function) -> bool:
    return type(function).__module__.startswith("triton.")


class _Memory:
    """What of an array says how a kernel is compiled."""

    def __init__(self, dtype: str, address: int):
        self.dtype = dtype
        self.address = address

    def data_ptr(self) -> int:
        return self.address


def _argument(value, namespace: dict):
    """An argument of ours as Triton takes it."""
    import triton.language as tl

    kind = type(value)
    if kind.__module__.startswith("tilec.language"):
        if kind.__name__ == "constexpr":
            return _argument(value.value, namespace)
        if hasattr(value, "scalar"):
            return getattr(tl, str(getattr(value, "name", value)).split(".")[-1], None) or tl.dtype(value.name)
    if _values.is_function(value):
        return namespace.get(_values.function_name(value), value)
    if kind.__module__.startswith(("torch", "triton.")) or not hasattr(value, "dtype") or not hasattr(value, "shape"):
        return value
    if isinstance(getattr(value, "shape", None), tuple) and value.shape == () and hasattr(value, "item"):
        return value.item()
    interface = getattr(value, "__array_interface__", None) or getattr(value, "__cuda_array_interface__", None)
    address = interface["data"][0] if interface else value.data_ptr()
    return _Memory(str(value.dtype).split(".")[-1], address)


def _write(compiled, folder: Path) -> str:
    """The files of a compiled kernel, as in Triton's cache."""
    metadata = {name: value for name, value in compiled.metadata._asdict().items()}
    metadata["target"] = dict(vars(compiled.metadata.target))
    name = compiled.metadata.name
    folder = folder / "triton"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(metadata, default=str))
    for stage in ("ttir", "ttgir", "llir", "ptx", "cubin"):
        code = compiled.asm.get(stage)
        if isinstance(code, bytes):
            (folder / f"{name}.{stage}").write_bytes(code)
        elif code is not None:
            (folder / f"{name}.{stage}").write_text(str(code))
    return os.fspath(folder)
