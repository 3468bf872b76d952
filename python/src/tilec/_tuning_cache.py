# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Timings of configurations on disk: one JSON file for each kernel, set of configurations, device and key, in the
folder `autotune` of the cache's folder. Files that cannot be read or written are as if they were not there."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import tempfile

from . import _devices, _native

_FORMAT = 1


def find(fn, configs: list, key: tuple) -> dict:
    """The kept timings of configurations; empty where there are none."""
    path = _path(fn, configs, key)
    if path is None:
        return {}
    by_text = {str(config): config for config in configs}
    try:
        with open(path, encoding="utf-8") as file:
            timings = json.load(file)["timings"]
        return {by_text[text]: timing for text, timing in timings if text in by_text}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def store(fn, configs: list, key: tuple, timings: dict):
    """Keeps timings for later processes."""
    path = _path(fn, configs, key)
    if path is None:
        return
    text = json.dumps({"kernel": _base(fn)[1], "key": repr(key), "device": _device_text(),
                       "timings": [(str(config), timing) for config, timing in timings.items()]}, indent=1)
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        number, temporary = tempfile.mkstemp(dir=os.path.dirname(path))
        with open(number, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(temporary, path)
    except OSError:
        pass


def _path(fn, configs: list, key: tuple) -> str | None:
    folder = _devices.autotune_folder()
    if folder is None:
        return None
    source, name = _base(fn)
    parts = [str(_FORMAT), _native.version(), source, _device_text(), repr(key), *map(str, configs)]
    return os.path.join(folder, f"{name[:100]}-{hashlib.sha256(repr(parts).encode()).hexdigest()}.json")


def _base(fn) -> tuple[str, str]:
    """The text of a kernel with all that it reaches, and its name."""
    while not hasattr(fn, "_make_source") and not hasattr(fn, "cache_key") and hasattr(fn, "fn"):
        fn = fn.fn
    name = getattr(fn, "__name__", "kernel")
    if hasattr(fn, "_make_source"):
        source = fn._make_source()
        return repr((source.text, source.modules)), name
    if hasattr(fn, "cache_key"):
        return fn.cache_key, name
    return inspect.getsource(fn), name


def _device_text() -> str:
    name, target = _devices.info(*_devices.current())[:2]
    return f"{name}, {target}"
