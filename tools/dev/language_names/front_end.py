# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What names the front end knows: read from its tables in lib/IRGen/Builtins*.cpp and from its library.

Parameters are words: `mask` is required, `mask?` is not, `*shape` and `**changes` collect, and what follows `|` is given
by keyword.
"""

from __future__ import annotations

import itertools
import pathlib
import re

#: A row of a table: {"load", "pointer mask?" "other?", inLanguage | asMethod, genLoad}
_ROW = re.compile(r'\{"(\w+)",\s*((?:"[^"]*"\s*)+|\w+),\s*([\w\s|]+?),\s*gen\w+')
_TEXT = re.compile(r'constexpr llvm::StringLiteral (\w+) =\s*((?:"[^"]*"\s*)+);')
_PLACES = re.compile(r"constexpr unsigned (\w+) = ([\w\s|]+);")
_LIST = r"llvm::StringRef {}\[\] = \{{([^}}]*)\}}"


class FrontEnd:
    """Parameters by names, for each place: "inLanguage", "inMath", "inLibdevice", "inExtra", "asMethod",
    "asDescriptorMethod", "asTypeMethod"; the names of types, and those of constants of tl."""

    def __init__(self, root: pathlib.Path):
        self.places: dict[str, dict[str, list[str]]] = {}
        for file in sorted((root / "lib/IRGen").glob("Builtins*.cpp")):
            self._read_rows(file.read_text())
        self._read_rounded((root / "lib/IRGen/BuiltinsLibdevice.cpp").read_text())
        methods = re.search(r"isLibraryMethod.*?names = \{([^}]*)\}", (root / "lib/IRGen/Builtins.cpp").read_text(),
                            re.S)
        for file in ("matrix", "order", "random", "standard", "libdevice"):
            self._read_library((root / f"lib/IRGen/library/{file}.tile").read_text(), _quoted(methods[1]))
        rows = re.findall(r'\{ScalarKind::\w+, \d+, "[^"]*", "(\w+)", "\w*"\}',
                          (root / "lib/Sema/DType.cpp").read_text())
        self.types = set(rows)
        self.constants = set(re.findall(r'kind == ModuleKind::Language && name == "(\w+)"\)',
                                        (root / "lib/IRGen/Names.cpp").read_text()))

    def _add(self, place: str, name: str, words: list[str]):
        self.places.setdefault(place, {}).setdefault(name, words)

    def _read_rows(self, text: str):
        texts = {name: "".join(_quoted(value)) for name, value in _TEXT.findall(text)}
        groups = dict(_PLACES.findall(text))
        for name, params, places in _ROW.findall(text):
            words = "".join(_quoted(params)) if '"' in params else texts[params]
            for place in groups.get(places.strip(), places).split("|"):
                self._add(place.strip(), name, words.split())

    def _read_rounded(self, text: str):
        """The conversions and operations of libdevice with each rounding, which a loop makes."""
        modes = _quoted(re.search(_LIST.format("modes"), text)[1])
        for mode, name in itertools.product(modes, _quoted(re.search(_LIST.format("conversions"), text)[1])):
            self._add("inLibdevice", f"{name}_{mode}", ["x"])
        operations = re.search(r"operations\[\] = \{(.*?)\};", text, re.S)[1]
        for mode, (name, params) in itertools.product(modes, re.findall(r'\{"(\w+)",\s*"([^"]*)"\}', operations)):
            if name != "rsqrt" or mode == "rn":
                self._add("inLibdevice", f"{name}_{mode}", params.split())

    def _read_library(self, text: str, methods: list[str]):
        for name, params in re.findall(r"^def (\w+)\((.*?)\):$", text, re.M | re.S):
            words = [_word(param) for param in params.replace("\n", " ").split(",")]
            if name.startswith("_nv_"):
                self._add("inLibdevice", name[len("_nv_"):], words)
            elif not name.startswith("_"):
                self._add("inLanguage", name, words)
                if name in methods:
                    self._add("asMethod", name, words)


def _quoted(text: str) -> list[str]:
    return re.findall(r'"([^"]*)"', text)


def _word(param: str) -> str:
    """`mask: tl.constexpr = None` as `mask?`."""
    return param.split(":")[0].split("=")[0].strip() + ("?" if "=" in param else "")
