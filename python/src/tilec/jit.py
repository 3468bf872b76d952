# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`@tilec.jit`: functions of the language, and how they are launched.

What happens at every launch is native (python/native/Kernel.cpp); the methods of `Launchable` are called when a kernel
comes to a device or a kind of arguments for the first time.
"""

from __future__ import annotations

import inspect
import itertools
import json
import sys

from . import _devices, _hooking, _jit_attributes, _messages, _native, _report, _values, _watch, errors
from ._compiled import CompiledKernel
from ._launching import LaunchTarget
from ._locks import Lock

_missing = object()

#: TILEC_COMPILE_DEBUG of tilec.h.
_DEBUG = 1
_source_lock = Lock()


class Launchable(LaunchTarget):
    """Launches one function of the language. `function` is what the text is made from: tilec's or Triton's."""

    def __init__(self, function, fn, unspecialized=(), unaligned=(), debug=False):
        self._function = function
        self._fn = fn
        code = fn.__code__
        count = code.co_argcount + code.co_kwonlyargcount
        self.arg_names = list(code.co_varnames[:count])
        annotations = getattr(fn, "__annotations__", {})
        types = [_values.annotation_text(annotations.get(name)) for name in self.arg_names]
        self._constexprs = [text == "constexpr" for text in types]
        defaults = dict.fromkeys(self.arg_names, _missing)
        given = fn.__defaults__ or ()
        defaults.update(zip(self.arg_names[code.co_argcount - len(given):code.co_argcount], given))
        defaults.update(fn.__kwdefaults__ or {})
        self._parameters = {
            "parameters": [pair for pair in zip(self.arg_names, types) if pair[1]],
            "unspecialized": self._parameter_names(unspecialized),
            "unaligned": self._parameter_names(unaligned),
        }
        wrong = [name for name in self._named(unspecialized) if self._constexprs[self.arg_names.index(name)]]
        #: A parameter that is declared as two things; an error when it is compiled.
        self._contradiction = wrong[0] if wrong else None
        self._source = None
        self._source_version = 0
        #: Functions that its launches gave as constants, by their names in the text.
        self._functions: dict[str, object] = {}
        #: A function with *args or **kwargs may be called by kernels; it is none.
        if not code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS):
            self._setup(self.arg_names, self._constexprs, list(defaults.values()), _missing, _values.classify,
                        _values.constants, code.co_posonlyargcount, code.co_argcount, _DEBUG if debug else 0)

    def _parameter_names(self, given) -> list[str]:
        """Parameters by name or number, those that are constants left out."""
        return [name for name in self._named(given) if not self._constexprs[self.arg_names.index(name)]]

    def _named(self, given) -> list[str]:
        names = [self.arg_names[name] if isinstance(name, int) else name for name in given or ()]
        return [name for name in names if name in self.arg_names]

    # What the native module asks for.

    def _refuse(self):
        raise TypeError(f"'{self._fn.__name__}' has *args or **kwargs, and cannot be launched: a kernel has a fixed number "
                        "of parameters")

    def _make_source(self):
        from . import _sources

        source = self._source
        while source is None or source.edition != _sources.edition:
            version = self._source_version
            source = _sources.make_source(self._function, dict(self._functions))
            with _source_lock:
                if version != self._source_version:
                    source = None  # Another thread has changed what it is made from.
                    continue
                self._source = source
                self._watch(source.watched)
        return source

    def _drop_source(self):
        with _source_lock:
            self._source = None
            self._source_version += 1
            self._watch(())
        self._forget()

    def _drop_changed(self):
        self._drop_source()

    def _changed(self):
        """A value of the program that the text has is another object: compiles again where that makes a difference."""
        source = self._source
        records = _watch.renewed(source.watched) if source is not None else None
        if records is None:
            self._drop_changed()
            return
        with _source_lock:
            if self._source is source:
                source.watched = records
                self._watch(records)

    def _bring(self, function):
        """Has the text bring along a function that a launch gives as a constant."""
        from ._sources import function_text

        name = _values.function_name(function)
        if name not in self._functions:
            function_text(function)  # One that cannot be read must not be there.
            self._functions[name] = function
            self._drop_source()

    def _options(self) -> dict:
        source = self._make_source()
        flags = {"flags": _hooking.compile_flags} if _hooking.compile_flags else {}
        return {"kernel": self._fn.__name__, "modules": source.modules, "cache": _devices.cache(), **_devices.tools(), **flags}

    def _open(self, device_type: int, index: int, check: bool) -> int:
        if self._contradiction:
            raise errors.make_error(errors._INPUT, f"parameter '{self._contradiction}' of kernel '{self._fn.__name__}' is a "
                                    "tl.constexpr, and is named in do_not_specialize")
        source = self._make_source()
        device = _devices.device(device_type, index, check)
        return _native.jit_create(self, device, source.name, source.text, {**self._options(), **self._parameters})

    def _compiled(self, handle: int, description: tuple) -> CompiledKernel:
        kind, place, given = description
        target = _devices.info(*place)[1]
        options = {**self._options(), **json.loads(kind), "target": target}
        for name, value in zip(("num_warps", "num_stages", "max_registers", "num_ctas", "split_k"), given):
            if value:
                options[name] = value
        options["flags"] = options.get("flags", 0) | given[5]
        kernel = CompiledKernel(handle, self._make_source(), options, place)
        kernel._launches = self, self._launch_options(given)
        self._rename(kernel)
        return kernel

    def _rename(self, kernel: CompiledKernel):
        """Gives a kernel the name that `repr` of @jit makes for it."""
        make_name = getattr(self._function, "_repr", None)
        if make_name is None:
            return
        from types import SimpleNamespace

        arguments = {name: text.split(":")[0] for name, text in kernel._options["arguments"]}
        constants = dict(kernel._options["constants"])
        values = {name: _literal_value(text) for name, text in constants.items()}
        signature = {name: arguments.get(name, "constexpr") for name in self.arg_names}
        kernel.name = kernel.metadata.name = make_name(
            SimpleNamespace(name=self._fn.__name__, fn=self._function, signature=signature, constants=values, attrs={}))

    def _on_compiled(self, is_made: bool, messages: str, seconds: float, from_cache: int, name: str | None,
                     kind: str | None, num_warps: int, num_stages: int):
        options = {name: dict(pairs) for name, pairs in json.loads(kind or "{}").items()}
        if is_made:
            options.update(num_warps=num_warps, num_stages=num_stages)
        _report.add(_report.Entry(name or self._fn.__name__, seconds, bool(from_cache), options, is_made=bool(is_made)))
        if is_made and messages:
            _messages.tell(messages, stacklevel=2)


def _literal_value(text: str):
    import ast

    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


class JITFunction(Launchable):
    """A function of the language. As a kernel it is launched with `kernel[grid](*args, **kwargs)`; kernels call the
    others."""

    __tilec_function__ = True

    def __init__(self, fn, *, version=None, do_not_specialize=None, do_not_specialize_on_alignment=None, debug=None,
                 noinline=None, repr=None, launch_metadata=None, is_constexpr=False):
        import functools

        functools.update_wrapper(self, fn)
        self.fn = fn
        self.noinline = bool(noinline)
        self.debug = bool(debug)
        self.version = version
        self._repr = repr
        self.launch_metadata = launch_metadata
        self.is_constexpr = is_constexpr
        self.pre_run_hooks = []
        self.module = fn.__module__
        self.do_not_specialize = list(do_not_specialize or ())
        self.do_not_specialize_on_alignment = list(do_not_specialize_on_alignment or ())
        self.device_caches = _jit_attributes.DeviceCaches()
        self._changed_src = None
        self._params = None
        self._hash = None
        super().__init__(self, fn, do_not_specialize, do_not_specialize_on_alignment, self.debug)

    @property
    def src(self) -> str:
        """The text of the function, from `def` on."""
        from ._sources import function_text

        return self._changed_src or function_text(self.fn)[0]

    def _unsafe_update_src(self, new_src: str):
        """Gives the function another text, with which it is compiled from now on, and those that call it."""
        from ._sources import forget_texts

        self._changed_src = new_src
        self._hash = None
        forget_texts()

    @property
    def raw_src(self) -> list[str]:
        """The lines of the function in its file, decorators included."""
        return inspect.getsourcelines(self.fn)[0]

    @property
    def starting_line_number(self) -> int:
        """The number of the first of `raw_src`."""
        return inspect.getsourcelines(self.fn)[1]

    def parse(self):
        """The text as a tree of Python's `ast`."""
        import ast

        return ast.parse(self.src)

    @property
    def signature(self):
        return inspect.signature(self.fn)

    @property
    def params(self) -> list[_jit_attributes.KernelParam]:
        """The parameters."""
        if self._params is None:
            self._params = _jit_attributes.parameters_of(self)
        return self._params

    @property
    def constexprs(self) -> list[int]:
        """The numbers of the parameters that are constants."""
        return [number for number, is_constexpr in enumerate(self._constexprs) if is_constexpr]

    @property
    def cache_key(self) -> str:
        """The same for the same text with the same functions and values around it, in all processes."""
        from ._sources import make_source

        self._hash = _jit_attributes.key_of(make_source(self))
        return self._hash

    @property
    def hash(self) -> str | None:
        """The last `cache_key`. Programs that change a text set it to None, which has functions read again."""
        return self._hash

    @hash.setter
    def hash(self, value: str | None):
        from ._sources import forget_texts

        self._hash = value
        if value is None:
            forget_texts()

    @property
    def used_global_vals(self) -> dict:
        """The variables of modules that the text has the values of: value and variables, by name and `id(variables)`."""
        from ._sources import make_source

        return _jit_attributes.values_of(make_source(self))

    def get_capture_scope(self) -> dict:
        """The variables that the function sees, by name."""
        return {**self.fn.__globals__, **inspect.getclosurevars(self.fn).nonlocals}

    @property
    def type(self):
        """What `constexpr_type` makes of it."""
        from .language import constexpr_type

        return constexpr_type(self)

    def is_gluon(self) -> bool:
        return False

    def repr(self, specialization) -> str:
        """The name of the code for a specialization: what the `repr` of @jit makes of it, else the function's."""
        return self._repr(specialization) if self._repr else f"{self.fn.__module__}.{self.fn.__qualname__}"

    def preload(self, specialization_data: str) -> CompiledKernel:
        """Compiles for what a `jit_cache_hook` was told, in this process or another one."""
        from . import _jit_hooks

        return _jit_hooks.preload(self, specialization_data)

    def _compiled(self, handle: int, description: tuple) -> CompiledKernel:
        compiled = super()._compiled(handle, description)
        self.device_caches.add(str(description), compiled, description[1])
        return compiled

    def _drop_changed(self):
        super()._drop_changed()
        self.device_caches.drop()

    def run(self, *args, grid, warmup=False, **kwargs):
        """What `self[grid](*args, **kwargs)` does; with `warmup` only the compilation."""
        if warmup:
            return self.warmup(*args, grid=grid, **kwargs)
        return self[grid](*args, **kwargs)

    def warmup(self, *args, grid=None, **kwargs) -> CompiledKernel:
        """Compiles for such arguments and launches nothing. A dtype stands for a tensor of it."""
        constexprs = {name for name, is_constexpr in zip(self.arg_names, self._constexprs) if is_constexpr}
        names = itertools.chain(self.arg_names, itertools.repeat(None))
        args = tuple(arg if name in constexprs else _mock(arg) for name, arg in zip(names, args))
        kwargs = {name: arg if name in constexprs else _mock(arg) for name, arg in kwargs.items()}
        return self._warmup(args, kwargs) if _hooking.warmup is None else _hooking.warmup(self, args, kwargs)

    def add_pre_run_hook(self, hook):
        """Has `hook(*args, **kwargs)` called before each launch."""
        self.pre_run_hooks.append(hook)
        _hooking.set_hooked("hooks of a function", True)

    def _run_hooked(self, grid, args, kwargs):
        for hook in self.pre_run_hooks:
            hook(*args, **(kwargs or {}))
        if _hooking.launch is not None:
            return _hooking.launch(self, grid, args, kwargs or {})
        return super()._run_hooked(grid, args, kwargs)

    def __get__(self, instance, owner=None):
        """As an attribute of an object, a function of compile time is a method of it."""
        if instance is None or not self.is_constexpr:
            return self
        import types

        return types.MethodType(self, instance)

    def __call__(self, *args, **kwargs):
        if self.is_constexpr:
            return self.fn(*args, **kwargs)
        raise RuntimeError(f"'{self.__name__}' is a function of the language: kernels call it, and programs launch it with "
                           f"{self.__name__}[grid](...)")

    def __repr__(self):
        return f"JITFunction({self.fn.__module__}:{self.fn.__qualname__})"


class MockTensor:
    """Stands for a tensor of a type in `warmup`: `kernel.warmup(MockTensor(torch.float32), 1024, grid=(1,))`."""

    def __init__(self, dtype, shape=(1, )):
        self.dtype = dtype
        self.shape = shape

    def data_ptr(self) -> int:
        return 0  # A multiple of 16, as new tensors have it.


def _mock(value):
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.dtype):
        return MockTensor(value)
    return value


def jit(fn=None, **options):
    """Makes a function one of the language: a kernel, or a function that kernels call.

    :param do_not_specialize: parameters, by name or number, whose values make no difference for the code
    :param do_not_specialize_on_alignment: the same for being multiples of 16 or 8 alone
    :param noinline: whether calls stay calls
    :param debug: whether device assertions stay
    """
    if fn is None:
        return lambda function: JITFunction(function, **options)
    return JITFunction(fn, **options)


def constexpr_function(fn):
    """A function that kernels call at compile time, and programs as any other."""
    return JITFunction(fn, is_constexpr=True)
