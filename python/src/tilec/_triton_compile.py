# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`triton.compile` through tilec: what TorchInductor and ahead-of-time users of Triton call.

The result is Triton's own CompiledKernel, in Triton's own cache, with a cubin of tilec's: Triton's launcher, torch's
static launcher and everything else that comes after the cubin stay as they are. A launcher passes two pointers to
scratch memory behind a kernel's arguments, which the driver does not hand on to a kernel that has no such parameters.
"""

from __future__ import annotations

import hashlib
import json
import time

from . import _devices, _messages, _native, _report, _values, errors
from ._sources import make_source


def compile_source(src, target, options: dict):
    """Compiles an ASTSource of Triton's; raises what tilec refuses as errors.CompilationError."""
    from triton.compiler.compiler import CompiledKernel, make_backend
    from triton.runtime.cache import get_cache_manager

    begin = time.perf_counter()
    backend = make_backend(target)
    parsed = backend.parse_options(dict(options or {}, **src.parse_options()))
    request = request_of(src, target, parsed)
    functions = _values.functions_of(list(src.constants.values()))
    source = make_source(src.fn, {_values.function_name(function): function for function in functions})
    text = json.dumps([_native.version(), _native.build_id(), source.name, source.text, source.modules, request,
                       sorted((name, repr(value)) for name, value in vars(parsed).items())])  # yapf: disable
    key = hashlib.sha256(text.encode()).hexdigest()
    cache = get_cache_manager(key)
    name = src.fn.__name__
    metadata_file = f"{name[:150]}.json"
    group = cache.get_group(metadata_file) or {}
    is_kept = metadata_file in group
    if not is_kept:
        group, is_kept = _compile(source, request, name, cache, parsed, target, key)
        cache.put_group(metadata_file, group)
    kernel = CompiledKernel(src, group, key)
    options = {
        **{option: dict(request[option]) for option in ("arguments", "constants")},
        "num_warps": kernel.metadata.num_warps, "num_stages": kernel.metadata.num_stages,
    }  # yapf: disable
    _report.add(_report.Entry(name, time.perf_counter() - begin, is_kept, options))
    return kernel


def request_of(src, target, parsed) -> dict:
    """The options of the compilation."""
    if target.backend != "cuda":
        raise errors.CompilationError(f"tilec has no target '{target.backend}'")
    arguments, constants = [], []
    for index, name in enumerate(src.fn.arg_names):
        _add(arguments, constants, name, src.signature.get(name, "constexpr"), (index, ), src)
    flags = (1 if parsed.debug else 0) | (0 if parsed.enable_fp_fusion else 4)
    flags |= 0 if getattr(parsed, "sanitize_overflow", True) else 32
    flags |= 0 if getattr(parsed, "enable_reflect_ftz", True) else 64
    # Triton's launcher makes no tensor maps, and gives the driver the grid as it is.
    flags |= 128 | 512
    return {
        "kernel": src.fn.__name__,
        "target": f"sm_{target.arch}" + ("a" if target.arch in (90, 100) else ""),
        "arguments": arguments,
        "constants": constants,
        "num_warps": parsed.num_warps,
        "num_stages": max(parsed.num_stages, 1),
        "max_registers": parsed.maxnreg or 0,
        "flags": flags,
        "stop_after": 7,
    }


def _add(arguments: list, constants: list, name: str, kind, path: tuple, src):
    """Adds a parameter, or an element of a tuple, by the name that tilec has for it."""
    if isinstance(kind, (tuple, list)):
        fields = getattr(kind, "_fields", range(len(kind)))
        if not kind:
            constants.append((name, "()"))
        for index, (field, element) in enumerate(zip(fields, kind)):
            _add(arguments, constants, f"{name}.{field}", element, (*path, index), src)
        return
    if kind == "constexpr":
        literal = _values.literal(src.constants.get(path))
        if literal is None:
            raise errors.CompilationError(f"the value of '{name}' cannot be a constant of a kernel")
        constants.append((name, literal))
        return
    if kind.startswith(("tensordesc", "nvTmaDesc")):
        raise errors.CompilationError(f"argument '{name}' is a tensor descriptor of the host, which Triton's launcher passes "
                                      "in another form")
    is_divisible = any(attribute[0] == "tt.divisibility" for attribute in src.attrs.get(path, ()))
    arguments.append((name, ("u1" if kind == "i1" else kind) + (":16" if is_divisible else "")))


def _hits(cache) -> int:
    """How often something was found in the levels of a cache of tilec's."""
    return sum(_native.cache_statistics(cache)[:3]) if cache is not None else 0


def _compile(source, request: dict, name: str, cache, parsed, target, key: str) -> tuple[dict, bool]:
    """The files of a kernel in Triton's cache, and whether tilec's own cache had the code."""
    own_cache = _devices.cache()
    options = {**request, "modules": source.modules, "cache": own_cache, **_devices.tools()}
    hits = _hits(own_cache)
    handle, messages = _native.compile_text(source.name, source.text, options)
    is_kept = _hits(own_cache) > hits
    if messages:
        _messages.tell(messages, stacklevel=5)
    try:
        facts = json.loads(_native.kernel_metadata(handle))
        cubin, ptx = _native.kernel_cubin(handle), _native.kernel_ptx(handle)
    finally:
        _native.kernel_destroy(handle)
    if facts.get("tensorMaps"):
        raise errors.CompilationError("the kernel takes tensor maps, which Triton's launcher cannot encode")
    if cubin is None:
        raise errors.Unavailable("there is no assembler: Triton's launcher needs a cubin")
    metadata = {
        **vars(parsed),
        "hash": key,
        "target": {"backend": target.backend, "arch": target.arch, "warp_size": target.warp_size},
        "name": facts["name"],
        "num_warps": facts.get("numWarps", 4),
        "num_stages": facts.get("numStages", 1),
        "shared": facts.get("dynamicSharedBytes", 0),
        "tmem_size": 0,
        "cluster_dims": [1, 1, 1],
        "num_ctas": 1,
        "global_scratch_size": 0,
        "global_scratch_align": 1,
        "profile_scratch_size": 0,
        "profile_scratch_align": 1,
        "tensordesc_meta": [],
        "triton_version": "tilec " + _native.version(),
    }
    files = {"cubin": cubin, "ptx": ptx, "source": source.text, "json": json.dumps(metadata, default=vars)}
    group = {
        f"{name[:150]}.{extension}": cache.put(content, f"{name[:150]}.{extension}", binary=extension == "cubin")
        for extension, content in files.items()
    }
    return group, is_kept
