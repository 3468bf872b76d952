# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hooks that Triton's programs set in `triton.knobs.runtime`: profilers have theirs called around each launch, others around
each compilation. A launch costs nothing more while none is set, as setting one is what is watched.
"""

from __future__ import annotations

import inspect
import json

from . import _hooking, _values

#: What `watch` replaced: (class, name, the class's own attribute or None).
_replaced: list[tuple] = []


def watch():
    """Notices hooks from now on."""
    from triton import knobs

    knobs_class, chain_class = type(knobs.runtime), knobs.HookChain
    set_knob, add = knobs_class.__setattr__, chain_class.add

    def set_and_notice(self, name, value):
        set_knob(self, name, value)
        if name in _hooking.LAUNCH + _hooking.COMPILATION and _hooking.is_set(value):
            _hooking.set_hooked("Triton's hooks", True)

    def add_and_notice(self, hook):
        add(self, hook)
        _hooking.set_hooked("Triton's hooks", True)

    for owner, name, value in ((knobs_class, "__setattr__", set_and_notice), (chain_class, "add", add_and_notice)):
        _replaced.append((owner, name, vars(owner).get(name)))
        setattr(owner, name, value)
    _hooking.set_hooked("Triton's hooks", _any_is_set())


def unwatch():
    for owner, name, own in _replaced:
        if own is None:
            delattr(owner, name)
        else:
            setattr(owner, name, own)
    _replaced.clear()
    _hooking.set_hooked("Triton's hooks", False)


def _any_is_set() -> bool:
    from triton import knobs

    return any(_hooking.is_set(getattr(knobs.runtime, name, None)) for name in _hooking.LAUNCH + _hooking.COMPILATION)


def are_set() -> bool:
    """Whether there is a hook at all; if not, later launches do not ask."""
    if _any_is_set():
        return True
    _hooking.set_hooked("Triton's hooks", False)
    return False


def _call(name: str, *args, **kwargs):
    from triton import knobs

    hook = getattr(knobs.runtime, name, None)
    return hook(*args, **kwargs) if _hooking.is_set(hook) else None


def warmup(kernel, args, kwargs):
    """Compiles, with the hooks of compilations; None where one of them wants no code."""
    return _compile(kernel, args, kwargs, is_warmup=True)


def launch(kernel, grid, args, kwargs):
    """Launches, with all hooks."""
    compiled = _compile(kernel, args, kwargs, is_warmup=False)
    if compiled is None:
        return None
    arguments = kernel._arguments(args, kwargs)
    return _hooking.launch_with_hooks(_call, kernel, grid, args, kwargs, compiled, arguments,
                                      lambda grid: _launch_metadata(kernel._function, compiled, grid, arguments))


def _launch_metadata(function, compiled, grid, arguments: dict):
    """What hooks of launches are given: `get()` makes a dict."""
    from triton.compiler.compiler import LazyDict
    from triton.runtime import driver

    active = driver.active
    stream = active.get_current_stream(active.get_current_device())
    metadata = LazyDict({"name": compiled.name, "function": compiled.function, "stream": stream})
    if function.launch_metadata is not None:
        metadata.add(function.launch_metadata, (grid, compiled.metadata, arguments))
    return metadata


def _compile(kernel, args, kwargs, is_warmup: bool):
    key, device = kernel._key(args, kwargs)
    known = kernel._function.device_caches[device][0]
    compiled = known.get(key)
    if compiled is not None:
        return compiled
    information = _information(kernel, key, device, args, kwargs, is_warmup) if _any_wants_information() else {}
    if information and _call("jit_cache_hook", **information):
        return None
    compiled = known[key] = kernel._warmup(args, kwargs)
    if information:
        _call("jit_post_compile_hook", **information)
    return compiled


def _any_wants_information() -> bool:
    from triton import knobs

    return any(_hooking.is_set(getattr(knobs.runtime, name, None)) for name in _hooking.COMPILATION)


def _information(kernel, key: str, device: int, args, kwargs, is_warmup: bool) -> dict:
    """The keywords of a hook of compilations."""
    from triton.runtime.jit import JitFunctionInfo, serialize_specialization_data

    function = kernel._function
    _, _, target, backend, bind = function.device_caches[device]
    given = {"debug": bool(function.debug), **kwargs}
    bound, specialization, rest = bind(*map(_as_tensor, args), **{name: _as_tensor(value) for name, value in given.items()})
    options, signature, constants, attributes = function._pack_args(backend, given, bound, specialization, rest)
    name = f"{function.fn.__module__}.{function.fn.__qualname__}"
    # JSON has no functions, and no process has those of another one.
    values = {path: {"function": str(value)} if _values.is_function(value) else value for path, value in constants.items()}
    # Later ones want the target as well.
    more = (target, ) if "target" in inspect.signature(serialize_specialization_data).parameters else ()
    data = json.loads(serialize_specialization_data(name, signature, values, attributes, options, key, *more))
    data["launch_options"] = {option: kwargs[option] for option in _hooking.OPTIONS if option in kwargs}
    compilation = {
        **{option: getattr(options, option, None) for option in (
            "num_warps", "num_ctas", "num_stages", "enable_fp_fusion", "launch_cooperative_grid", "extern_libs")},
        "key": key, "signature": signature, "device": device, "constants": constants, "configs": [attributes],
        "specialization_data": json.dumps(data), "is_warmup": is_warmup,
    }  # yapf: disable
    types = ", ".join(f"{parameter}: {kind}" for parameter, kind in signature.items())
    return {
        "key": key, "repr": f"{function.fn.__qualname__}[num_warps={options.num_warps}, num_stages={options.num_stages}]({types})",
        "fn": JitFunctionInfo(function.fn.__module__, function.fn.__qualname__, function), "compile": compilation,
        "is_manual_warmup": is_warmup, "already_compiled": False,
    }  # yapf: disable


def preload(function, specialization_data: str):
    """`JITFunction.preload`: compiles for what a hook of compilations was told, in this process or another one."""
    from .takeover import kernel_of

    data = json.loads(specialization_data)
    name = f"{function.fn.__module__}.{function.fn.__qualname__}"
    if data["name"] != name:
        raise RuntimeError(f"Specialization data is for {data['name']} but trying to preload for {name}")
    constants = {tuple(path): value for path, value in zip(data["constant_keys"], data["constant_vals"])}
    attributes = {tuple(path): value for path, value in zip(data["attrs_keys"], data["attrs_vals"])}
    values = [_stand_in(kind, (index, ), constants, attributes) for index, kind in enumerate(data["signature"].values())]
    keywords = dict(zip(data["signature"], values))
    kernel = kernel_of(function)
    options = data.get("launch_options", {})
    key, device = kernel._key((), {**keywords, **options})
    compiled = kernel._warmup((), {**keywords, **options})
    function.device_caches[device][0][key] = compiled
    return compiled


def _stand_in(kind, path: tuple, constants: dict, attributes: dict):
    """A value of a kind."""
    from triton import language

    if isinstance(kind, (list, tuple)):
        return tuple(_stand_in(element, (*path, index), constants, attributes) for index, element in enumerate(kind))
    if kind == "constexpr":
        value = constants.get(path)
        if isinstance(value, dict) and "constexpr" not in value:
            raise RuntimeError("a function as a constant cannot be preloaded")
        if isinstance(value, dict):
            return language.constexpr(value["constexpr"])
        if isinstance(value, str) and language.dtype.is_dtype(value):
            value = language.dtype(value)
        return language.constexpr(value) if len(path) > 1 else value
    is_divisible = any(attribute[0] == "tt.divisibility" for attribute in attributes.get(path, ()))
    if kind.startswith("*"):
        return _Pointer(kind.lstrip("*").removeprefix("k"), 0 if is_divisible else 1)
    if kind in ("u1", "i1"):
        return True
    if kind.startswith(("i", "u")):
        small = {"i64": 1 << 40, "u64": 1 << 63}.get(kind, 0)
        return small + (16 if is_divisible else 3)
    if kind.startswith(("fp", "bf")):
        return 0.5
    raise RuntimeError(f"an argument of type '{kind}' cannot be preloaded")


def _as_tensor(value):
    """What Triton takes for a tensor, for arrays that it does not know."""
    interface = getattr(value, "__array_interface__", None) or getattr(value, "__cuda_array_interface__", None)
    if interface is None or hasattr(value, "data_ptr"):
        return value
    return _Pointer(getattr(value, "dtype", None), interface["data"][0])


class _Pointer:
    """Stands for a tensor of a type at an address."""

    def __init__(self, dtype, address: int):
        self.dtype = dtype
        self._address = address

    def data_ptr(self) -> int:
        return self._address
