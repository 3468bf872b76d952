# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton programs on tilec, as they are: `tilec.install()`.

Where Triton is installed, the launches of its `@triton.jit` functions are taken over: decorators, autotuners and
everything else of Triton's stay. Where it is not, modules of tilec's own stand in for it (tilec/standin).

A kernel that tilec refuses runs on Triton, after one warning that says why; with `fallback=False`, or with
TILEC_FALLBACK=0 in the environment, that is an error. Refused is what does not compile, what needs more of something than
the device has, options that tilec does not know, and what a bug in tilec stops.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import os
import sys
import warnings

from . import _devices, _report, _triton_hooks, errors
from .jit import Launchable

_originals: dict[str, object] = {}


class _UnknownOption(KeyError):
    """A keyword of a launch that tilec does not know; Triton may."""


#: What Triton may be able to do.
_REFUSALS = (errors.CompilationError, errors.InternalError, errors.OutOfResources, _UnknownOption)

#: What of Triton is used, by module: what 3.5 to 3.9 have.
_NEEDED = {
    "triton": ("knobs", "compiler"),
    "triton.knobs": ("HookChain", "runtime", "compilation", "language"),
    "triton.compiler.compiler": ("compile", "CompiledKernel", "LazyDict", "make_backend"),
    "triton.compiler.errors": ("CompilationError", "CompileTimeAssertionFailure"),
    "triton.runtime": ("driver", ),
    "triton.runtime.cache": ("get_cache_manager", ),
    "triton.runtime.driver": ("_create_driver", ),
    "triton.runtime.errors": ("OutOfResources", ),
    "triton.runtime.jit": ("JITFunction", "JitFunctionInfo", "serialize_specialization_data"),
}  # yapf: disable
_NEEDED_METHODS = ("run", "create_binder", "preload", "_pack_args")

#: Methods of Triton's functions that are replaced.
_METHODS = ("run", "__getitem__", "_unsafe_update_src", "create_binder", "preload")

#: Flags of a compilation: TILEC_COMPILE_... of tilec.h.
_DEBUG, _NO_LINE_INFO, _NO_FMA = 1, 2, 4


def install(fallback: bool | None = None):
    """Takes over the launches of Triton's kernels in this process, from now on.

    :param fallback: whether what tilec refuses runs on Triton; by default what TILEC_FALLBACK says, else yes
    """
    TritonKernel.fallback = os.environ.get("TILEC_FALLBACK", "1") != "0" if fallback is None else fallback
    if _originals:
        return
    from . import standin

    if not standin.is_installed():
        if sys.modules.get("triton") is None and not _is_there(importlib.util.find_spec("triton")):
            standin.install()
        else:
            _require_version()
            _patch_or_undo()
    # For the processes that this one starts: torch compiles in some.
    os.environ["TILEC"] = "1"
    _report.gather()


def _require_version():
    """Fails where Triton lacks what is used of it, before anything of it is changed."""
    import triton

    lacks = []
    for module, names in _NEEDED.items():
        try:
            found = importlib.import_module(module)
        except ImportError:
            lacks.append(module)
        else:
            lacks += [f"{module}.{name}" for name in names if not hasattr(found, name)]
    if not lacks:
        function = importlib.import_module("triton.runtime.jit").JITFunction
        lacks = [f"JITFunction.{name}" for name in _NEEDED_METHODS if not hasattr(function, name)]
    if lacks:
        raise RuntimeError(f"tilec takes over the kernels of Triton 3.5 and later, not those of the installed "
                           f"{getattr(triton, '__version__', 'Triton')}, which has no {lacks[0]}; tilec.standin works "
                           "without Triton")


def _patch_or_undo():
    try:
        _patch()
    except BaseException:
        uninstall()
        raise


def _is_there(spec) -> bool:
    """Whether an import would find Triton. A folder of that name without modules is none."""
    return spec is not None and spec.origin is not None


def uninstall():
    """Gives the launches of Triton's kernels back to Triton."""
    from . import standin

    os.environ.pop("TILEC", None)
    _report.stop_gathering()
    standin.uninstall()
    if not _originals:
        return
    from triton.runtime.jit import JITFunction

    for name in _METHODS:
        if name in _originals:
            setattr(JITFunction, name, _originals[name])
        elif name in vars(JITFunction):
            delattr(JITFunction, name)
    _triton_hooks.unwatch()
    errors._CLASSES.update(_originals["classes"])
    import triton
    from triton.compiler import compiler

    for module in (compiler, triton.compiler, triton):
        module.compile = _originals["compile"]
    if "create_driver" in _originals:
        _restore_driver()
    _originals.clear()


def _patch():
    from triton.compiler import compiler
    from triton.runtime.jit import JITFunction

    classes = _error_classes()
    _originals.update((name, vars(JITFunction)[name]) for name in _METHODS if name in vars(JITFunction))
    _originals["classes"] = dict(errors._CLASSES)
    _originals["compile"] = compiler.compile
    errors._CLASSES.update(classes)
    _patch_compile()
    for name, method in (("run", _run), ("__getitem__", _getitem), ("create_binder", _create_binder),
                         ("preload", _triton_hooks.preload)):
        # Bound methods are pickled by name: Inductor's compile workers send kernels back.
        original = getattr(JITFunction, name, None)
        setattr(JITFunction, name, functools.wraps(original)(method) if original else method)
    _triton_hooks.watch()
    update_source = getattr(JITFunction, "_unsafe_update_src", None)
    if update_source is not None:

        @functools.wraps(update_source)
        def update(self, new_src):
            from . import _sources

            update_source(self, new_src)
            _sources.forget_texts()

        JITFunction._unsafe_update_src = update
    _patch_driver()


def _patch_driver():
    """Has the simulator answer where Triton finds no driver and there is no GPU. GPUs are counted when the driver is first
    asked: until then CUDA is not started, as processes that are forked after that cannot use it."""
    module = sys.modules["triton.runtime.driver"]  # As an attribute of the package that is the object in it.
    create = _originals["create_driver"] = module._create_driver

    def create_driver():
        try:
            return create()
        except RuntimeError:
            if _devices.count() != 0:
                raise
        from ._host_driver import HostDriver

        return HostDriver()

    module._create_driver = create_driver


def _restore_driver():
    from ._host_driver import HostDriver
    from triton.runtime import driver

    sys.modules["triton.runtime.driver"]._create_driver = _originals["create_driver"]
    for name in ("_active", "_default"):
        if isinstance(getattr(driver, name, None), HostDriver):
            setattr(driver, name, None)


def _patch_compile():
    """Takes over `triton.compile`, by all its names."""
    import triton
    from triton.compiler import compiler

    original = _originals["compile"]

    def compile(src, target=None, options=None, **kwargs):
        from triton.runtime import driver

        if type(src).__name__ != "ASTSource":
            return original(src, target, options, **kwargs)
        try:
            from ._triton_compile import compile_source

            return compile_source(src, target or driver.active.get_current_target(), options)
        except (*_REFUSALS, errors.Unavailable) as error:
            if not TritonKernel.fallback:
                raise
            _tell_fallback(src.fn.fn, error)
        return original(src, target, options, **kwargs)

    for module in (compiler, triton.compiler, triton):
        module.compile = compile


#: Kernels that a warning was given for, by file, line and name.
_refused: set[tuple[str, int, str]] = set()


def _tell_fallback(fn, error: Exception):
    """Counts a launch, or a compilation, that is left to Triton, and warns of the first one of a kernel."""
    reason = error.args[0] if isinstance(error, _UnknownOption) else str(error)
    _report.add_fallback(fn.__name__, reason)
    code = fn.__code__
    kernel = code.co_filename, code.co_firstlineno, fn.__qualname__
    if kernel not in _refused:
        _refused.add(kernel)
        warnings.warn(f"tilec refuses kernel '{fn.__name__}' ({code.co_filename}:{code.co_firstlineno}), which Triton "
                      f"compiles instead:\n{reason}", errors.TilecWarning, stacklevel=3)


def _error_classes() -> dict:
    """tilec's exceptions that are Triton's as well, so that programs that catch Triton's go on working."""
    from triton.compiler.errors import CompilationError, CompileTimeAssertionFailure
    from triton.runtime.errors import OutOfResources

    class TakenCompilationError(errors.CompilationError, CompilationError):

        def __init__(self, message: str):
            Exception.__init__(self, message)
            self.src = self.node = None
            self.message = self.error_message = message

        def __str__(self):
            return self.message

        def __reduce__(self):
            return errors.CompilationError, (self.message, )

    class TakenAssertionFailure(TakenCompilationError, CompileTimeAssertionFailure):
        pass

    class TakenOutOfResources(errors.OutOfResources, OutOfResources):

        def __init__(self, message: str):
            Exception.__init__(self, message)
            self.message = message
            self.required = self.limit = 0
            self.name = "shared memory"

        def __str__(self):
            return self.message

        def __reduce__(self):
            return errors.OutOfResources, (self.message, )

    def make_compilation_error(message: str):
        is_assertion = "static assertion" in message.split("\n")[0]
        return (TakenAssertionFailure if is_assertion else TakenCompilationError)(message)

    class TakenValueError(ValueError, AssertionError):
        """Triton asserts what tilec checks."""

    return {
        errors._INPUT: make_compilation_error,
        errors._RESOURCES: TakenOutOfResources,
        errors._INVALID: TakenValueError,
    }


class TritonKernel(Launchable):
    """Launches a function of Triton's."""

    fallback = True

    def __init__(self, function):
        #: Its code by device and key, which Triton's functions show as `device_caches`.
        self._codes: dict[int, dict] = {}
        self._opened_flags = None
        super().__init__(function, function.fn, function.do_not_specialize, function.do_not_specialize_on_alignment,
                         function.debug)

    def _flags(self) -> int:
        """What Triton's knobs say, as flags of a compilation."""
        from triton import knobs

        flags = _DEBUG if knobs.runtime.debug else 0
        if knobs.compilation.disable_line_info:
            flags |= _NO_LINE_INFO
        if not knobs.language.default_fp_fusion or getattr(knobs.language, "force_disable_fp_fusion", False):
            flags |= _NO_FMA
        return flags

    def _options(self) -> dict:
        self._opened_flags = self._flags()
        return {**super()._options(), "flags": self._opened_flags}

    def _open(self, device_type: int, index: int, check: bool) -> int:
        if device_type == _devices.CPU and _devices.count() != 0 and not _devices.settings.simulate:
            raise ValueError(f"kernel '{self._fn.__name__}' was given tensors in memory of the CPU, which a GPU cannot reach "
                             "(with tilec.settings.simulate the simulator runs such launches)")
        return super()._open(device_type, index, check)

    def _compiled(self, handle: int, description: tuple):
        compiled = super()._compiled(handle, description)
        device, key = description[1][1], str(description)
        self._codes.setdefault(device, {})[key] = compiled
        if device in self._function.device_caches:
            self._function.device_caches[device][0][key] = compiled
        return compiled

    def _drop_changed(self):
        super()._drop_changed()
        for device in self._codes:
            if device in self._function.device_caches:
                self._function.device_caches[device][0].clear()
        self._codes.clear()

    def _key(self, args, kwargs) -> tuple[str, int]:
        """What tells the code for such arguments from other code, and the device's number."""
        description = self._describe(args, kwargs)
        return str(description), description[1][1]

    def _arguments(self, args, kwargs) -> dict:
        """The arguments of a launch by name."""
        defaults = {name: parameter.default for name, parameter in self._function.signature.parameters.items()
                    if parameter.default is not parameter.empty}
        given = {name: value for name, value in kwargs.items() if name in self.arg_names}
        found = {**defaults, **dict(zip(self.arg_names, args)), **given}
        return {name: found[name] for name in self.arg_names if name in found}

    def _take_option(self, name: str, value):
        try:
            super()._take_option(name, value)
        except KeyError as error:
            raise _UnknownOption(*error.args) from None

    def _run_hooked(self, grid, args, kwargs):
        if not _triton_hooks.are_set():
            return super()._run_hooked(grid, args, kwargs)
        try:
            return _triton_hooks.launch(self, grid, args, kwargs or {})
        except _REFUSALS as error:
            return self._recover(grid, args, kwargs, error)

    def _recover(self, grid, args, kwargs, error, warmup=False):
        """What to do about a launch, or a compilation without one, that failed: to have Triton do it, or to raise."""
        # Without a GPU Triton can do nothing.
        if not isinstance(error, _REFUSALS) or not self.fallback or _devices.count() == 0:
            raise error
        _tell_fallback(self._fn, error)
        return _originals["run"](self._function, *args, grid=grid, warmup=warmup, **(kwargs or {}))


def kernel_of(function) -> TritonKernel:
    """The launches of a function of Triton's."""
    kernel = function.__dict__.get("_tilec_kernel")
    if kernel is None:
        kernel = function.__dict__["_tilec_kernel"] = TritonKernel(function)
    return kernel


def _create_binder(function):
    codes, *rest = _originals["create_binder"](function)
    kernel = function.__dict__.get("_tilec_kernel")
    if kernel is not None:
        from triton.runtime import driver

        codes.update(kernel._codes.get(driver.active.get_current_device(), {}))
    return (codes, *rest)


def _getitem(function, grid):
    kernel = function.__dict__.get("_tilec_kernel") or kernel_of(function)
    if function.pre_run_hooks:
        return lambda *args, **kwargs: function.run(*args, grid=grid, warmup=False, **kwargs)
    return kernel[grid]


def _run(function, *args, grid, warmup, **kwargs):
    for hook in function.pre_run_hooks:
        hook(*args, **kwargs)
    kernel = kernel_of(function)
    kwargs = {name: value for name, value in kwargs.items() if name not in ("stream", "device", "device_type")}
    if warmup:
        if kernel._opened_flags not in (None, kernel._flags()):
            kernel._forget()
        try:
            return _triton_hooks.warmup(kernel, args, kwargs) if _triton_hooks.are_set() else kernel._warmup(args, kwargs)
        except _REFUSALS as error:
            return kernel._recover(grid, args, kwargs, error, warmup=True)
    return kernel[grid](*args, **kwargs)
