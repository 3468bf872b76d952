# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilec.load_bundle`: kernels that `tilec build --emit bundle` compiled ahead of time."""

from __future__ import annotations

import ast
import inspect
import json
import os
from collections.abc import Iterator

from . import _devices, _native, _values
from ._compiled import CompiledKernel
from ._launching import LaunchTarget
from .errors import CompilationError

_missing = object()


class BundleKernel(LaunchTarget):
    """A kernel of a bundle. It is called with the arguments of the function that it was compiled from, and is launched on
    the grid that the bundle says, or on `kernel[grid]`. Constants are the bundle's: they may be left out, and are errors
    when they are others."""

    def __init__(self, bundle: Bundle, name: str, entries: list[dict]):
        self._bundle = bundle
        self._entries = entries
        self._fn = self
        self.__name__ = self.__qualname__ = name
        self.__module__ = bundle.name
        #: What launches of the bundle's own grid are computed with; None where each launch has to give one.
        self.grid: str | None = entries[0].get("grid")
        parameters = entries[0]["parameters"]
        self.arg_names = [parameter["name"] for parameter in parameters]
        self._defaults = [self._default_of(parameter) for parameter in parameters]
        constexprs = [parameter.get("constexpr", False) for parameter in parameters]
        count = len(parameters)
        self._setup(self.arg_names, constexprs, self._defaults, _missing, _values.classify, _values.constants, 0, count, 0)

    def _images(self) -> list[dict]:
        return [image for entry in self._entries for image in entry["images"]]

    def _default_of(self, parameter: dict):
        """What a launch may leave out: arguments with defaults, and constants. Those that depend on the target, or that
        Python has no value for, are `...`, which leaves them to the bundle."""
        name, default = parameter["name"], parameter.get("default")
        if any(name in dict(image["options"]["arguments"]) for image in self._images()):
            return _missing if default is None else _literal(default, _missing)
        texts = {dict(image["options"]["constants"]).get(name, default) for image in self._images()}
        return _literal(texts.pop(), ...) if len(texts) == 1 else ...

    @property
    def targets(self) -> list[str]:
        """The processors that there is code for."""
        return list(dict.fromkeys(image["target"] for image in self._images()))

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.Signature([
            inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD if default is _missing else
                              inspect.Parameter.KEYWORD_ONLY, default=inspect.Parameter.empty if default is _missing else default)
            for name, default in sorted(zip(self.arg_names, self._defaults), key=lambda pair: pair[1] is not _missing)
        ])

    def __call__(self, *args, **kwargs) -> CompiledKernel | None:
        """Launches it on the bundle's grid."""
        return self[...](*args, **kwargs)

    def __repr__(self) -> str:
        shown = [name if default is _missing else f"{name}={'...' if default is ... else repr(default)}"
                 for name, default in zip(self.arg_names, self._defaults)]
        grid = f" on {self.grid} programs" if self.grid else ""
        return f"<kernel {self.__name__}({', '.join(shown)}){grid} for {', '.join(self.targets)}>"

    # What the native module asks for.

    def _open(self, device_type: int, index: int, check: bool) -> int:
        return _native.bundle_jit(self._bundle._handle, self.__name__, _devices.device(device_type, index, check))

    def _compiled(self, handle: int, description: tuple) -> CompiledKernel:
        kind, place, given = description
        kernel = CompiledKernel(handle, None, json.loads(kind), place)
        kernel._launches = self, self._launch_options(given)
        return kernel

    def _bring(self, function):
        raise TypeError(f"a kernel of a bundle takes no functions: '{self.__name__}' has those that it was compiled with")


def _literal(text: str, otherwise):
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return otherwise


class Bundle:
    """The kernels of a file, by name: `bundle.add_f32`, `bundle["add_f32"]`. The name of the function that several of them
    were compiled from stands for the first one that takes a launch's arguments."""

    def __init__(self, path: str | os.PathLike):
        self.path = os.fspath(path)
        with open(path, "rb") as file:
            data = file.read()
        try:
            self._handle = _native.bundle_read(data)
        except CompilationError as error:
            raise ValueError(f"'{self.path}' is {error}") from None
        described = json.loads(_native.bundle_describe(self._handle))
        self.name: str = described["name"]
        self._entries = {entry["name"]: entry for entry in described["kernels"]}
        self._kernels: dict[str, BundleKernel] = {}

    def __getitem__(self, name: str) -> BundleKernel:
        kernel = self._kernels.get(name)
        if kernel is None:
            entries = [self._entries[name]] if name in self._entries else [
                entry for entry in self._entries.values() if entry["kernel"] == name]
            if not entries:
                raise KeyError(f"bundle '{self.name}' has no kernel '{name}'; it has {', '.join(self._entries)}")
            kernel = self._kernels.setdefault(name, BundleKernel(self, name, entries))
        return kernel

    def __getattr__(self, name: str) -> BundleKernel:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(error.args[0]) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __dir__(self):
        return [*super().__dir__(), *self._entries]

    def __repr__(self) -> str:
        return f"<bundle {self.name} from '{self.path}': {', '.join(self._entries)}>"

    def __del__(self):
        # The module may be gone at the end of the process.
        destroy = getattr(_native, "bundle_destroy", None)
        if destroy is not None and "_handle" in self.__dict__:
            destroy(self._handle)


def load_bundle(path: str | os.PathLike) -> Bundle:
    """Loads a file that `tilec build SPEC -o DIR --emit bundle` made. Its kernels are launched without a compilation:

        ops = tilec.load_bundle("ops.tilec")
        ops.add_f32(x, y, z, n)             # on the grid that the bundle says
        ops.add_f32[(blocks,)](x, y, z, n)
    """
    return Bundle(path)
