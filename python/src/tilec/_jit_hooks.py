# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hooks of Triton's programs around launches and compilations of tilec's own kernels: what the stand-in's
`knobs.runtime` holds, called as _triton_hooks.py calls them where Triton is installed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from . import _hooking

#: Where the hooks are, while one is set.
_knobs: Any = None


class HookChain:
    """Hooks of a kind, which are called one after the other."""

    def __init__(self, reversed: bool = False):
        self.calls: list = []
        self.reversed = reversed

    def add(self, func):
        if func not in self.calls:
            self.calls.append(func)
        for notice in _noticing:
            notice()

    def remove(self, func):
        if func in self.calls:
            self.calls.remove(func)

    def __call__(self, *args, **kwargs):
        for call in self.calls[::-1] if self.reversed else list(self.calls):
            call(*args, **kwargs)


class LazyDict:
    """A dict, parts of which are made when it is asked for."""

    def __init__(self, data: dict):
        self.data = data
        self.extras: list[tuple] = []

    def add(self, func, args):
        """Has `func(*args)` give more of it."""
        self.extras.append((func, args))

    def get(self) -> dict:
        for func, args in self.extras:
            self.data = {**self.data, **func(*args)}
        self.extras.clear()
        return self.data


@dataclass
class JitFunctionInfo:
    """A function, for hooks of compilations."""

    module: str
    name: str
    jit_function: Any


#: What chains call when they have got a hook.
_noticing: list = []


def watch(knobs):
    """Calls the hooks of `knobs` from now on, as soon as there are any."""
    global _knobs
    _knobs = knobs
    _noticing[:] = [notice]
    notice()


def unwatch():
    global _knobs
    _knobs = None
    _noticing.clear()
    _switch(False)


def notice():
    """Looks whether there are hooks."""
    _switch(any(_hooking.is_set(getattr(_knobs, name, None)) for name in _hooking.LAUNCH + _hooking.COMPILATION))


def _switch(on: bool):
    _hooking.launch, _hooking.warmup = (_launch, _warmup) if on else (None, None)
    _hooking.set_hooked("the stand-in's hooks", on)


def _call(name: str, *args, **kwargs):
    hook = getattr(_knobs, name, None)
    return hook(*args, **kwargs) if _hooking.is_set(hook) else None


def _warmup(kernel, args, kwargs):
    """Compiles, with the hooks of compilations; None where one of them wants no code."""
    return _compile(kernel, args, kwargs, is_warmup=True)


def _launch(kernel, grid, args, kwargs):
    """Launches, with all hooks."""
    compiled = _compile(kernel, args, kwargs, is_warmup=False)
    if compiled is None:
        return None
    arguments = _arguments(kernel, args, kwargs)

    def describe(grid) -> LazyDict:
        metadata = LazyDict({"name": compiled.name, "function": compiled.function, "stream": _stream(compiled)})
        if kernel.launch_metadata is not None:
            metadata.add(kernel.launch_metadata, (grid, compiled.metadata, arguments))
        return metadata

    try:
        return _hooking.launch_with_hooks(_call, kernel, grid, args, kwargs, compiled, arguments, describe)
    finally:
        notice()


def _stream(compiled) -> int:
    place = compiled._place
    return 0 if compiled.is_simulated or place is None else compiled._launches[0]._stream(place[1])


def _arguments(kernel, args, kwargs) -> dict:
    """The arguments of a launch by name."""
    found = {parameter.name: parameter.default for parameter in kernel.params if parameter.has_default}
    found.update(zip(kernel.arg_names, args))
    found.update((name, value) for name, value in kwargs.items() if name in kernel.arg_names)
    return {name: found[name] for name in kernel.arg_names if name in found}


def _compile(kernel, args, kwargs, is_warmup: bool):
    description = kernel._describe(args, kwargs)
    key, device = str(description), description[1][1]
    compiled = kernel.device_caches[device][0].get(key)
    if compiled is not None:
        return compiled
    wanted = any(_hooking.is_set(getattr(_knobs, name, None)) for name in _hooking.COMPILATION)
    information = _information(kernel, key, description, kwargs, is_warmup) if wanted else {}
    if wanted and _call("jit_cache_hook", **information):
        return None
    compiled = kernel._warmup(args, kwargs)
    if wanted:
        _call("jit_post_compile_hook", **information)
    return compiled


def _information(kernel, key: str, description: tuple, kwargs: dict, is_warmup: bool) -> dict:
    """The keywords of a hook of compilations."""
    kinds = json.loads(description[0])
    arguments, constants = dict(kinds["arguments"]), dict(kinds["constants"])
    signature = {**{name: text.split(":")[0] for name, text in arguments.items()}, **dict.fromkeys(constants, "constexpr")}
    warps, stages, _, ctas = description[2][:4]
    name = f"{kernel.fn.__module__}.{kernel.fn.__qualname__}"
    options = {option: kwargs[option] for option in _hooking.OPTIONS if option in kwargs and option not in kernel.arg_names}
    data = {"name": name, "key": key, "arguments": arguments, "constants": constants, "options": options}
    compilation = {
        "key": key, "signature": signature, "device": description[1][1], "constants": constants,
        "num_warps": warps or 4, "num_stages": stages or 3, "num_ctas": ctas or 1,
        "enable_fp_fusion": options.get("enable_fp_fusion", True), "launch_cooperative_grid": False, "extern_libs": (),
        "configs": [{}], "specialization_data": json.dumps(data), "is_warmup": is_warmup,
    }  # yapf: disable
    types = ", ".join(f"{parameter}: {kind}" for parameter, kind in signature.items())
    return {
        "key": key, "repr": f"{kernel.fn.__qualname__}[num_warps={warps or 4}, num_stages={stages or 3}]({types})",
        "fn": JitFunctionInfo(kernel.fn.__module__, kernel.fn.__qualname__, kernel), "compile": compilation,
        "is_manual_warmup": is_warmup, "already_compiled": False,
    }  # yapf: disable


def preload(kernel, specialization_data: str):
    """Compiles for the `specialization_data` of a hook of compilations."""
    data = json.loads(specialization_data)
    name = f"{kernel.fn.__module__}.{kernel.fn.__qualname__}"
    if data["name"] != name:
        raise RuntimeError(f"the specialization data are of {data['name']}, not of {name}")
    values: dict[str, Any] = {path: _value_of_type(kind) for path, kind in data["arguments"].items()}
    values.update((path, _value_of_text(path, text)) for path, text in data["constants"].items())
    keywords = {name: _collect(values, name) for name in kernel.arg_names if _is_given(values, name)}
    return kernel._warmup((), {**keywords, **data["options"]})


def _is_given(values: dict, name: str) -> bool:
    return any(path.split(".")[0] == name for path in values)


def _collect(values: dict, path: str):
    """The value of a parameter, or of a part of one: a tuple of its parts."""
    if path in values:
        return values[path]
    parts: dict[str, None] = {}
    for longer in values:
        if longer.startswith(path + "."):
            parts.setdefault(longer[len(path) + 1:].split(".")[0])
    if all(part.isdigit() for part in parts):
        return tuple(_collect(values, f"{path}.{part}") for part in sorted(parts, key=int))
    from collections import namedtuple

    return namedtuple("Fields", parts)(*(_collect(values, f"{path}.{part}") for part in parts))


def _value_of_type(kind: str):
    """A value of a type, which is a multiple of 16 or 8 where `kind` says so."""
    kind, _, divisor = kind.partition(":")
    if kind.startswith("*"):
        return _Pointer(kind.lstrip("*").removeprefix("k"), 0 if divisor else 1)
    if kind in ("u1", "i1"):
        return True
    if kind[0] in "iu":
        return {"i64": 1 << 40, "u64": 1 << 63}.get(kind, 0) + int(divisor or 3)
    if kind.startswith(("fp", "bf")):
        return 0.5
    raise RuntimeError(f"an argument of type '{kind}' cannot be preloaded")


def _value_of_text(path: str, text: str):
    """The constant that a text is; in a tuple it is marked as one."""
    import ast

    from . import language

    if text.startswith("tl."):
        found = getattr(language, text.removeprefix("tl."), None)
        if isinstance(found, language.dtype):
            return language.constexpr(found) if "." in path else found
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        raise RuntimeError(f"the constant {text} cannot be preloaded") from None
    return language.constexpr(value) if "." in path else value


class _Pointer:
    """Stands for a tensor of a type at an address."""

    def __init__(self, dtype: str, address: int):
        self.dtype = dtype
        self._address = address

    def data_ptr(self) -> int:
        return self._address
