#!/usr/bin/env python3
# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the .td files are the manual that they claim to be.

usage: check_docs.py [ROOT]

Every op, type, attribute and pass has a summary and a description; every op, type and attribute has an example there and
occurs in a lit test; every pass has the test FLAG.mlir; every constraint label (`load_c2`) is the name, or the start of the
name, of a test function. A definition is known by the end of its name: Op, Type, Attr or Pass. Prints one line per
violation; exits with 1 when there is one, with 2 when it cannot look.
"""

from __future__ import annotations

import dataclasses
import pathlib
import re
import sys
from collections.abc import Iterator

# What ends a record: the next definition, or a line at the left margin that is none.
MARGIN = re.compile(r"(?=^(?:def|class|defm|#endif|#ifndef|include|//))", re.MULTILINE)


class Tests:
    """What the .mlir tests are called, which constraints their functions name, and what they spell."""

    def __init__(self, root: pathlib.Path):
        self.files: set[str] = set()
        self.constraints: set[str] = set()
        self.spelled: set[str] = set()
        for path in sorted((root / "test").rglob("*.mlir")):
            text = path.read_text()
            self.files.add(path.name)
            for function in re.findall(r"@(\w+)", text):
                self.constraints.update(function[:label.end()] for label in re.finditer(r"_c[0-9]+", function))
            self.spelled.update(re.findall(r"[a-z][a-z_0-9]*\.[a-z][a-z_0-9]*", text))


@dataclasses.dataclass
class Record:
    """A definition of a .td file: its name, kind and text."""
    name: str
    text: str

    @property
    def kind(self) -> str | None:
        match = re.search(r"(Op|Type|Attr|Pass)$", self.name)
        return match and match[1]

    def field(self, name: str) -> str:
        """The string of a field, "..." or [{...}]; empty where there is none."""
        match = re.search(rf'let {name} = (?:\[\{{(.*?)\}}\]|"(.*?)")', self.text, re.DOTALL)
        return (match[1] or match[2] or "").strip() if match else ""

    @property
    def spelling(self) -> str:
        """The mnemonic or the flag. Constraints and enums, which end in Attr or Type as well, have none."""
        if self.kind not in ("Pass", "Op"):
            return self.field("mnemonic")
        match = re.search(r'<\s*"([^"]*)"', self.text)
        return match[1] if match else ""

    def problems(self, dialect: str, tests: Tests) -> Iterator[str]:
        spelling, description = self.spelling, self.field("description")
        if not self.field("summary"):
            yield f"'{self.name}' has no summary"
        if not description:
            yield f"'{self.name}' has no description"
        if self.kind == "Pass":
            if f"{spelling}.mlir" not in tests.files:
                yield f"pass '{spelling}' has no test '{spelling}.mlir'"
            return
        if "Example" not in description and "```" not in description:
            yield f"'{self.name}' has no example"
        if f"{dialect}.{spelling}" not in tests.spelled:
            yield f"no test spells '{dialect}.{spelling}'"


class Checker:
    def __init__(self, root: pathlib.Path):
        self.root = root
        self.tests = Tests(root)
        self.definitions = self.labels = 0

    def check(self, path: pathlib.Path) -> Iterator[str]:
        text, name = path.read_text(), path.relative_to(self.root)
        line = 1
        for part in MARGIN.split(text):
            match = re.match(r"def ([^\s:{<]+)", part)
            record = Record(match[1], part) if match else None
            if record and record.kind and record.spelling:
                self.definitions += 1
                for problem in record.problems(path.parent.name.lower(), self.tests):
                    yield f"{name}:{line}: {problem}"
            line += part.count("\n")
        for number, shown in enumerate(text.splitlines(), 1):
            for label in re.findall(r"`([a-z][a-z_0-9]*_c[0-9]+)`", shown):
                self.labels += 1
                if label not in self.tests.constraints:
                    yield f"{name}:{number}: no test function is named after constraint '{label}'"


def main() -> int:
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2]
    files = sorted(path for folder in ("dialects", "include", "lib") for path in (root / folder).rglob("*.td"))
    if not files:
        print(f"check_docs: no definitions in '{root}'", file=sys.stderr)
        return 2
    checker = Checker(root)
    found = [problem for path in files for problem in checker.check(path)]
    print(*found, f"{checker.definitions} definitions and {checker.labels} constraints checked, {len(found)} violations",
          sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
