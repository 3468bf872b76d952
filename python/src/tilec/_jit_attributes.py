# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs and libraries read of a function of the language besides launching it: parameters, text, keys, code."""

from __future__ import annotations

import hashlib
import inspect
import json
from typing import Any

from . import _devices, _native, _values


class KernelParam:
    """A parameter of a function of the language."""

    def __init__(self, num: int, parameter: inspect.Parameter, text: str, is_general: bool, is_unaligned: bool):
        self.num = num  #: its place
        self.name = parameter.name
        #: "constexpr", "const", a type such as "i32" or "*fp32", another annotation's text, or nothing
        self.annotation = text
        self.is_constexpr = text == "constexpr"
        self.is_const = text == "const" or text.startswith("*k")
        self.default: Any = parameter.default  #: `inspect.Parameter.empty` where there is none
        self.do_not_specialize = is_general
        self.do_not_specialize_on_alignment = is_unaligned

    @property
    def has_default(self) -> bool:
        return self.default is not inspect.Parameter.empty

    @property
    def annotation_type(self) -> str:
        """The annotation, if it is a type."""
        element = self.annotation.removeprefix("*k" if self.annotation.startswith("*k") else "*")
        return self.annotation if element not in ("", "constexpr", "const") and _native.type_of(element) else ""

    def __repr__(self) -> str:
        return f"KernelParam({self.num}, {self.name}{': ' if self.annotation else ''}{self.annotation})"


def parameters_of(function) -> list[KernelParam]:
    """The parameters of a JITFunction."""

    def is_named(parameter, num: int, names) -> bool:
        return num in names or parameter.name in names

    return [
        KernelParam(num, parameter, _annotation(parameter.annotation),
                    is_named(parameter, num, function.do_not_specialize),
                    is_named(parameter, num, function.do_not_specialize_on_alignment))
        for num, parameter in enumerate(function.signature.parameters.values())
    ]


def _annotation(annotation) -> str:
    if annotation is inspect.Parameter.empty or annotation is None:
        return ""
    known = _values.annotation_text(annotation)
    return known or (annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation)))


class DeviceCaches(dict):
    """A kernel's code, by the device's number: tuples that begin with a dict of it, by keys of tilec's, a dict that is
    empty, and the target. The code itself stays when it is taken out of these."""

    def __missing__(self, device: int) -> tuple:
        from .language.target_info import current_target

        entry = self[device] = ({}, {}, current_target(), None, None)
        return entry

    def add(self, key: str, compiled, place: tuple[int, int, bool]):
        """Adds what was compiled for a device's type and number. The simulator's is no reason to open a GPU."""
        from .language import target_info

        kind, device, _ = place
        if device not in self:
            major, minor = target_info._SIMULATED if kind == _devices.CPU else _devices.info(*place)[2:4]
            self[device] = ({}, {}, target_info.GPUTarget("cuda", major * 10 + minor, 32), None, None)
        self[device][0][key] = compiled

    def drop(self):
        for entry in self.values():
            entry[0].clear()


def key_of(source) -> str:
    """What tells functions with other texts, or with other functions and values that they use, from each other."""
    text = json.dumps([_native.build_id(), source.text, source.modules])
    return hashlib.sha256(text.encode()).hexdigest()


def values_of(source) -> dict:
    """The variables of the program that a text has: their values and scopes, by name and scope."""
    found = {}
    for scope, name, value, _ in source.watched:
        if isinstance(scope, dict) and value:
            found[name, id(scope)] = (value[0], scope)
    return found
