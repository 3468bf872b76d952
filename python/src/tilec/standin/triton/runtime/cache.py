# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A folder of files by key, for programs that keep theirs in Triton's cache. Kernels are in tilec's own (docs/caching.md)."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from typing import Any

from tilec import __version__, _native

from .. import knobs


class CacheManager:
    """Where the files of one key are."""

    def __init__(self, key: str, override: bool = False, dump: bool = False):
        self.key = key

    def get_file(self, filename: str) -> str | None:
        """The path of a file, or None."""
        raise NotImplementedError

    def put(self, data: Any, filename: str, binary: bool = True) -> str:
        """Writes a file; returns its path."""
        raise NotImplementedError

    def get_group(self, filename: str) -> dict[str, str] | None:
        """The paths of the files of a group by name, or None."""
        raise NotImplementedError

    def put_group(self, filename: str, group: dict[str, str]) -> str:
        """Writes which files a group has."""
        raise NotImplementedError


class FileCacheManager(CacheManager):
    """A folder of `knobs.cache.dir` for each key. A file is there as a whole or not at all."""

    def __init__(self, key: str, override: bool = False, dump: bool = False):
        super().__init__(key, override, dump)
        root = knobs.cache.override_dir if override else knobs.cache.dump_dir if dump else knobs.cache.dir
        self.cache_dir = os.path.join(root, key)

    def _path(self, filename: str) -> str:
        return os.path.join(self.cache_dir, filename)

    def has_file(self, filename: str) -> bool:
        return os.path.exists(self._path(filename))

    def get_file(self, filename: str) -> str | None:
        return self._path(filename) if self.has_file(filename) else None

    def put(self, data: Any, filename: str, binary: bool = True) -> str:
        is_binary = isinstance(data, (bytes, bytearray))
        content = bytes(data) if is_binary else str(data).encode()
        os.makedirs(self.cache_dir, exist_ok=True)
        handle, part = tempfile.mkstemp(dir=self.cache_dir)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(part, self._path(filename))
        return self._path(filename)

    def get_group(self, filename: str) -> dict[str, str] | None:
        path = self.get_file(f"__grp__{filename}")
        if path is None:
            return None
        with open(path) as file:
            group = json.load(file)["child_paths"]
        return {name: path for name, path in group.items() if os.path.exists(path)}

    def put_group(self, filename: str, group: dict[str, str]) -> str:
        return self.put(json.dumps({"child_paths": group}), f"__grp__{filename}", binary=False)


def _folder_of(key: str) -> str:
    """A key as the name of a folder: those of Triton are numbers in base 16 or other texts."""
    return key if key.isalnum() and len(key) <= 64 else hashlib.sha256(key.encode()).hexdigest()


def get_cache_manager(key: str) -> CacheManager:
    """The files of a key."""
    return FileCacheManager(_folder_of(key))


def get_override_manager(key: str) -> CacheManager:
    """The files of a key that replace others."""
    return FileCacheManager(_folder_of(key), override=True)


def get_dump_manager(key: str) -> CacheManager:
    """The files of a key that are for people."""
    return FileCacheManager(_folder_of(key), dump=True)


def triton_key() -> str:
    """The compiler: what keys of programs begin with."""
    return f"tilec {__version__} {_native.build_id()}"


def default_cache_dir() -> str:
    return knobs.cache.dir


__all__ = [
    "CacheManager", "FileCacheManager", "default_cache_dir", "get_cache_manager", "get_dump_manager",
    "get_override_manager", "triton_key",
]  # yapf: disable
