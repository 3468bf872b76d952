#!/usr/bin/env python3
# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the commands of the documents: of *.md in the source folder, in test, and anywhere in docs.

usage: doc_commands.py --source DIR --build DIR --scratch DIR --except FILE

Commands are the lines of fenced blocks: in ```sh each line is one (a line that ends in a backslash goes on), in ```console
those behind `$ `, and what follows them is what they print, in this order; `...` stands for anything. Each document has a
folder of its own, in which its commands run one after the other. There are copies of docs and examples in it, links to the
other folders of the source, `build`, and the files that the document shows: blocks whose first line is `# NAME.py` or
`# NAME.tile`, or that begin with ```LANGUAGE NAME.

The file of exceptions has a line for each command that is not run: `DOCUMENT: BEGINNING: REASON`, the beginning as a
pattern of fnmatch. Commands in ```sh have to succeed. Prints what fails; exits with 1 when something does, or when an
exception is about no command.
"""

from __future__ import annotations

import argparse
import fnmatch
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass, field

TIMEOUT = 60


@dataclass
class Command:
    line: int
    text: str
    must_succeed: bool
    printed: list[str] = field(default_factory=list)


@dataclass
class Exempt:
    document: str
    pattern: str
    reason: str
    used: bool = False


def blocks(text: str) -> list[tuple[int, str, list[str]]]:
    """The fenced blocks: number of the first line inside, language, lines."""
    found, inside = [], None
    for number, line in enumerate(text.splitlines(), 1):
        fence = re.match(r"\s*```(.*)$", line)
        if fence and inside is None:
            inside = (number + 1, fence.group(1).strip(), [])
        elif fence:
            found.append(inside)
            inside = None
        elif inside:
            inside[2].append(line)
    return found


def commands_of(text: str) -> list[Command]:
    found: list[Command] = []
    for first, language, lines in blocks(text):
        goes_on = False
        for number, line in enumerate(lines, first):
            if goes_on:
                found[-1].text = found[-1].text[:-1].rstrip() + " " + line.strip()
            elif language == "sh":
                line = re.sub(r"\s+# .*$", "", line)
                if not line.strip() or line.startswith("#"):
                    continue
                found.append(Command(number, line.strip(), True))
            elif language == "console" and line.startswith("$ "):
                found.append(Command(number, line[2:].strip(), False))
            elif language == "console" and found:
                found[-1].printed.append(line)
                continue
            else:
                continue
            goes_on = found[-1].text.endswith("\\")
    return found


def files_of(text: str) -> dict[str, str]:
    found = {}
    for _, language, lines in blocks(text):
        name = re.match(r"\w+ ([\w.-]+)$", language) or (lines and re.fullmatch(r"# ([\w-]+\.(?:py|tile))", lines[0]))
        if name:
            found[name.group(1)] = "\n".join(lines) + "\n"
    return found


def prepare(folder: pathlib.Path, source: pathlib.Path, build: pathlib.Path, text: str) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in ("docs", "examples"):
        if (source / name).is_dir():
            shutil.copytree(source / name, folder / name)
    for path in source.iterdir():
        if not path.name.startswith((".", "build")) and not (folder / path.name).exists():
            (folder / path.name).symlink_to(path)
    (folder / "build").symlink_to(build)
    for name, content in files_of(text).items():
        (folder / name).write_text(content)


def is_printed(expected: list[str], output: str) -> str | None:
    """The first line that is missing in the output, behind the ones before it."""
    lines = [re.sub(r"\s+", " ", line.strip()) for line in output.splitlines()]
    at = 0
    for line in expected:
        wanted = re.sub(r"\s+", " ", line.strip())
        if wanted in ("", "..."):
            continue
        pattern = ".*".join(re.escape(part) for part in wanted.split("..."))
        while at < len(lines) and not re.fullmatch(pattern, lines[at]):
            at += 1
        if at == len(lines):
            return line
        at += 1
    return None


def run(command: Command, folder: pathlib.Path, build: pathlib.Path) -> str | None:
    """Why the command failed."""
    environment = {**os.environ, "PATH": f"{build}/bin{os.pathsep}{os.environ.get('PATH', '')}",
                   "PYTHONPATH": str(build / "python"), "TILEC_CACHE_DIR": str(folder / ".cache")}
    started = subprocess.Popen(["bash", "-c", command.text], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                               start_new_session=True)
    try:
        output, _ = started.communicate(timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        os.killpg(started.pid, signal.SIGKILL)
        started.communicate()
        return f"no end within {TIMEOUT} s"
    if command.must_succeed and started.returncode:
        return f"exit status {started.returncode}\n{output[-2000:]}"
    missing = is_printed(command.printed, output)
    return f"does not print '{missing}'\n{output[-2000:]}" if missing else None


def read_exceptions(path: pathlib.Path) -> list[Exempt]:
    lines = [line for line in path.read_text().splitlines() if line.strip() and not line.startswith("#")]
    return [Exempt(*re.split(r": ", line, maxsplit=2)) for line in lines]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("source", "build", "scratch"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--except", dest="exceptions", type=pathlib.Path, required=True)
    options = parser.parse_args()
    exceptions = read_exceptions(options.exceptions)
    pages = [*options.source.glob("*.md"), *options.source.glob("test/*.md"), *options.source.glob("docs/**/*.md")]
    ran = left_out = failures = 0
    for document in sorted(str(page.relative_to(options.source)) for page in pages):
        text = (options.source / document).read_text()
        folder = options.scratch.resolve() / re.sub(r"\W", "-", document)
        commands = commands_of(text)
        if commands:
            prepare(folder, options.source.resolve(), options.build.resolve(), text)
        for command in commands:
            known = [entry for entry in exceptions
                     if entry.document == document and fnmatch.fnmatchcase(command.text, entry.pattern)]
            for entry in known:
                entry.used = True
            if known:
                left_out += 1
                continue
            ran += 1
            problem = run(command, folder, options.build.resolve())
            if problem:
                failures += 1
                print(f"{document}:{command.line}: {command.text}\n{problem}")
    for entry in exceptions:
        if not entry.used:
            failures += 1
            print(f"{options.exceptions.name}: '{entry.pattern}' is no command of {entry.document}")
    print(f"{ran} commands run, {left_out} left out, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
