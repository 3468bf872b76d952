#!/usr/bin/env python3
# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what the documentation refers to.

usage: doc_links.py [ROOT]

Every document is reachable from docs/README.md. Links lead to files and headings that exist. What stands in backticks and
looks like a path, a file's name, a pass or a command of ./dev exists; FLAG, NAME, COMMAND, FOLDER and NN in it stand for
anything. Prints one line per violation; exits with 1 when there is one, with 2 when it cannot look.
"""

from __future__ import annotations

import fnmatch
import pathlib
import re
import subprocess
import sys

FOLDERS = ("lib", "include", "dialects", "runtime", "tools", "test", "examples", "docs", "python", "cmake")
# Endings of files that are ours wherever they are named. Others may be a user's.
OWN = (".cpp", ".td", ".test", ".mlir")
# Programs that are named like passes.
PROGRAMS = {"tile-opt", "tile-lsp", "tile-fuzz", "tile-mode"}


def documents(root: pathlib.Path) -> list[pathlib.Path]:
    top = [root / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md") if (root / name).is_file()]
    return top + sorted((root / "docs").rglob("*.md")) + sorted((root / "test").glob("*.md"))


def slug(heading: str) -> str:
    """The anchor that GitHub gives a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


def prose(text: str) -> list[str]:
    """The lines, those inside of fences emptied."""
    lines, inside = [], False
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            inside = not inside
            line = ""
        lines.append("" if inside else line)
    return lines


class Checker:
    def __init__(self, root: pathlib.Path):
        self.root = root
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=root, capture_output=True, text=True)
        self.files = [name for name in listed.stdout.split() if (root / name).exists()]
        if listed.returncode or not self.files:
            self.files = [str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()]
        self.names = {pathlib.PurePath(name).name for name in self.files}
        definitions = "\n".join((root / name).read_text() for name in self.files if name.endswith("Passes.td"))
        self.passes = set(re.findall(r'Pass<"([\w-]+)"', definitions))
        dev = root / "dev"
        self.commands = set(re.findall(r"^  (\w+) ", dev.read_text(), flags=re.MULTILINE)) if dev.is_file() else set()
        self.failures = 0

    def fail(self, path: pathlib.Path, line: int, text: str) -> None:
        print(f"{path.relative_to(self.root)}:{line}: {text}")
        self.failures += 1

    def anchors(self, path: pathlib.Path) -> set[str]:
        return {slug(line.lstrip("#")) for line in prose(path.read_text()) if line.startswith("#")}

    def exists(self, pattern: str) -> bool:
        pattern = re.sub(r"\b(NN|FLAG|NAME|COMMAND|FOLDER)(?=\b|-)", "*", pattern.rstrip("/"))
        return any(fnmatch.fnmatch(name, pattern) or name.startswith(pattern + "/") for name in self.files)

    def check_link(self, path: pathlib.Path, line: int, target: str) -> pathlib.Path | None:
        """The document that a link leads to."""
        if re.match(r"[a-z]+:", target):
            return None
        name, _, anchor = target.partition("#")
        found = (path.parent / name).resolve() if name else path
        if not found.exists():
            self.fail(path, line, f"there is no '{target}'")
            return None
        if anchor and found.suffix == ".md" and anchor not in self.anchors(found):
            self.fail(path, line, f"'{target}' has no such heading")
        return found

    def check_code(self, path: pathlib.Path, line: int, code: str) -> None:
        """One text in backticks."""
        word = code.split(" ")[0].rstrip(",;")
        if re.fullmatch(rf"({'|'.join(FOLDERS)})/[\w./*-]+", word):
            if not self.exists(word):
                self.fail(path, line, f"there is no '{word}'")
        elif re.fullmatch(r"[\w-]+\.\w+", word) and word.endswith(OWN):
            if word not in self.names and not word.startswith(("FLAG", "NAME")):
                self.fail(path, line, f"there is no file '{word}'")
        elif re.fullmatch(r"(tile|tilegpu|convert)-[a-z0-9-]+", word):
            if self.passes and word not in self.passes | PROGRAMS:
                self.fail(path, line, f"there is no pass '{word}'")

    def check(self) -> None:
        pages = documents(self.root)
        leads: dict[pathlib.Path, set[pathlib.Path]] = {}
        for path in pages:
            leads[path.resolve()] = set()
            for number, line in enumerate(prose(path.read_text()), 1):
                for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", line)):
                    found = self.check_link(path, number, target)
                    if found:
                        leads[path.resolve()].add(found)
                for code in re.findall(r"`([^`]+)`", line):
                    self.check_code(path, number, code)
            for number, line in enumerate(path.read_text().splitlines(), 1):
                for command in re.findall(r"\./dev (\w+)", line):
                    if self.commands and command not in self.commands:
                        self.fail(path, number, f"./dev has no '{command}'")
        index = (self.root / "docs" / "README.md").resolve()
        reached, waiting = {index}, [index]
        while waiting:
            for found in leads.get(waiting.pop(), ()):
                if found not in reached:
                    reached.add(found)
                    waiting.append(found)
        for path in pages:
            if path.resolve() not in reached:
                self.fail(path, 1, "cannot be reached from docs/README.md")
        print(f"{len(pages)} documents checked, {self.failures} violations")


def main() -> int:
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]).resolve()
    if not (root / "docs").is_dir():
        print(f"doc_links: no documentation in '{root}'", file=sys.stderr)
        return 2
    checker = Checker(root)
    checker.check()
    return 1 if checker.failures else 0


if __name__ == "__main__":
    sys.exit(main())
