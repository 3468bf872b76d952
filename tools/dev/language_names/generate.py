# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the modules of tilec.language that have operations, and their stubs, from the table of the language,
lib/Sema/language.

usage: generate.py [--check]

With --check nothing is written: exits with 1 when a file is not what the table says, lacks a type or a constant of tl, or when
docs/language.md does not mention a public name.
"""

from __future__ import annotations

import ast
import functools
import itertools
import pathlib
import re
import sys
from dataclasses import dataclass, field

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
TABLES = ROOT / "lib/Sema/language"
TARGET = ROOT / "python/src/tilec/language"
WIDTH = 120

LICENCE = ("# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.\n"
           "# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n")
MADE = "# Made by tools/dev/language_names/generate.py from lib/Sema/language.\n"

ALIASES = """
_Value: TypeAlias = tensor | constexpr | int | float | bool
_Int: TypeAlias = int | constexpr
_Bool: TypeAlias = bool | constexpr
_Text: TypeAlias = str | constexpr
_Type: TypeAlias = _dtype | constexpr
_Shape: TypeAlias = Sequence[_Int] | constexpr
_Values: TypeAlias = Sequence[_Value] | constexpr
_Mask: TypeAlias = tensor | constexpr | bool | int | None
_Nan: TypeAlias = PropagateNan | constexpr
"""

MODES = {"rn": "to nearest", "rz": "towards zero", "rd": "down", "ru": "up"}
TYPES = {
    "float": "fp32", "double": "fp64", "int": "int32", "uint": "uint32", "ll": "int64", "ull": "uint64",
}  # yapf: disable


@dataclass
class Entry:
    """One operation: its signatures, of which the first has all parameters, and what it does."""

    name: str
    sources: list[str] = field(default_factory=list)
    marks: set[str] = field(default_factory=set)
    doc: str = ""
    place: str = ""
    section: str = ""

    @functools.cached_property
    def signatures(self) -> list[ast.FunctionDef]:
        return [ast.parse(source).body[0] for source in self.sources]

    def parameters(self, number: int, typed: bool, first: str | None = None) -> list[str]:
        """The parameters of a signature as text. As a method's the first one is `self`."""
        source, args = self.sources[number], self.signatures[number].args
        positional = args.posonlyargs + args.args
        values = [None] * (len(positional) - len(args.defaults)) + args.defaults
        texts = [_parameter(source, arg, value, typed) for arg, value in zip(positional, values)]
        if first:
            texts[0] = first
        if args.vararg:
            texts.append("*" + _parameter(source, args.vararg, None, typed))
        elif args.kwonlyargs:
            texts.append("*")
        texts += [_parameter(source, arg, value, typed) for arg, value in zip(args.kwonlyargs, args.kw_defaults)]
        if args.kwarg:
            texts.append("**" + _parameter(source, args.kwarg, None, typed))
        return texts

    def result(self, number: int) -> str:
        return _type(ast.get_source_segment(self.sources[number], self.signatures[number].returns))


def _type(text: str) -> str:
    """A type of the table as stubs write it."""
    text = re.sub(r"\bPointer\b", "tensor", re.sub(r"\bReal\b", "Value", re.sub(r"\bInts\b", "Shape", text)))
    return re.sub(r"\b(Value|Int|Bool|Text|Type|Shape|Values|Mask|Nan)\b", r"_\1", text)


def _parameter(source: str, arg: ast.arg, value: ast.expr | None, typed: bool) -> str:
    text = arg.arg
    annotation = typed and arg.annotation
    if annotation:
        text += ": " + _type(ast.get_source_segment(source, arg.annotation))
    if value is not None:
        text += (" = " if annotation else "=") + ast.get_source_segment(source, value)
    return text


def read_table(name: str) -> list[Entry]:
    """The rows of one file of the table, in its order; braces in names are written out."""
    entries: list[Entry] = []
    place = section = ""
    signatures: list[str] = []
    text = (TABLES / name).read_text().split('R"table(')[1].split(')table"')[0]
    for line in text.splitlines():
        if line.startswith("== "):
            place, _, section = line[3:].partition(": ")
        elif line.startswith("    "):
            entries += _expand(signatures, line.strip(), place, section)
            signatures = []
        elif line:
            signature, _, doc = line.partition("  # ")
            signatures.append(signature)
            if doc:
                entries += _expand(signatures, doc, place, section)
                signatures = []
    return entries


def _expand(lines: list[str], doc: str, place: str, section: str) -> list[Entry]:
    entries = []
    parts = [part.split(",") for part in re.split(r"[{}]", re.split(r"\(", lines[0])[0])]
    for words in itertools.product(*parts):
        mode = next((MODES[word.strip("_")] for word in reversed(words) if word.strip("_") in MODES), "")
        kind = next((TYPES[word] for word in words[1:] if word in TYPES), "")
        entry = Entry("".join(words), place=place, section=section)
        entry.doc = doc.replace("{mode}", mode).replace("{type}", kind)
        for line in lines if "(" in lines[0] else []:
            signature, _, marks = line.rpartition(" | ") if re.search(r" \| [a-z_ ]+$", line) else (line, "", "")
            params = signature[signature.index("("):]
            if place == "libdevice":
                params = re.sub(r"\w+(?=[,)])(?<!Real)", r"\g<0>: Value", params) + " -> tensor"
            entry.sources.append(f"def {entry.name}{params}: ...")
            entry.marks |= set(marks.split())
        entries.append(entry)
    return entries


def _definition(name: str, parameters: list[str], end: str, indent: str = "") -> str:
    """`def name(parameters)` and what follows, in lines of at most WIDTH."""
    start = f"{indent}def {name}("
    lines, line = [], start
    for index, parameter in enumerate(parameters):
        piece = parameter + (", " if index + 1 < len(parameters) else end)
        if len(line) + len(piece.rstrip()) > WIDTH and line.strip():
            lines.append(line.rstrip())
            line = " " * len(start)
        line += piece
    return "\n".join([*lines, line + (end if not parameters else "")])


def _docstring(text: str, indent: str) -> str:
    words, lines, line = text.split(" "), [], indent + '"""'
    for word in words:
        if len(line) + len(word) + 4 > WIDTH:
            lines.append(line.rstrip())
            line = indent
        line += word + " "
    return "\n".join([*lines, line.rstrip() + '"""']).replace("\\", "\\\\")


def function(entry: Entry, prefix: str) -> str:
    """An operation as a function that says that only kernels can use it."""
    return (_definition(entry.name, entry.parameters(0, typed=False), "):") + "\n" + _docstring(entry.doc, "    ") +
            f'\n    raise outside("{prefix}{entry.name}")\n')


def stub(entry: Entry, indent: str = "", is_method: bool = False) -> str:
    """An operation in a stub; several signatures are overloads, the last of which has the text."""
    heads = {}
    for number in range(len(entry.signatures)):
        # Those of a method may differ in what it is called on alone.
        heads.setdefault(tuple(entry.parameters(number, True, "self" if is_method else None)), entry.result(number))
    parts = []
    for parameters, result in heads.items():
        overload = f"{indent}@overload\n" if len(heads) > 1 else ""
        definition = _definition(entry.name, list(parameters), f") -> {result}:", indent)
        is_last = len(parts) + 1 == len(heads)
        parts.append(overload + definition +
                     (f"\n{_docstring(entry.doc, indent + '    ')}\n{indent}    ...\n" if is_last else " ...\n"))
    return "\n".join(parts)


def _exports(names) -> str:
    """`__all__` in lines of at most WIDTH."""
    return _wrapped("__all__ = [", [f'"{name}"' for name in sorted(names)], "]")


def _wrapped(start: str, items: list[str], end: str) -> str:
    lines, line = [start], "    "
    for item in items:
        if len(line) + len(item) + 1 > WIDTH:
            lines.append(line.rstrip())
            line = "    "
        line += item + ", "
    return "\n".join([*lines, line.rstrip(), end + ("  # yapf: disable" if start.startswith("__all__") else "")]) + "\n"


def _import(module: str, names) -> str:
    text = f"from {module} import " + ", ".join(sorted(names)) + "\n"
    return text if len(text) <= WIDTH else _wrapped(f"from {module} import (", sorted(names), ")")


def operations_module(operations: list[Entry]) -> str:
    made = [entry for entry in operations if "host" not in entry.marks]
    body = "\n\n".join(function(entry, "tl.") for entry in made)
    return (LICENCE + MADE + '"""The operations of the language, for programs that name or pass them."""\n\n'
            "from ._markers import PropagateNan, outside\nfrom ._types import float32\n\n\n" + body + "\n\n" +
            _exports(entry.name for entry in made))


def language_stub(operations: list[Entry], members: list[Entry], head: str) -> str:
    methods = [stub(entry, "    ", True) for entry in operations if "method" in entry.marks]
    methods += [stub(entry, "    ") for entry in members if entry.place == "method"]
    descriptor = [stub(entry, "    ") for entry in members if entry.place == "tensor_descriptor"]
    head = head.replace("    # The methods of tensors.\n", "\n".join(methods))
    head = head.replace("    # The methods of descriptors.\n", "\n".join(descriptor))
    head = head.replace("# The types of parameters.\n", ALIASES.strip() + "\n")
    body = "\n".join(stub(entry) for entry in operations)
    return LICENCE + MADE + head + "\n" + body


def math_modules(operations: list[Entry], members: list[Entry], libdevice: list[Entry]) -> tuple[str, str]:
    doc = '"""Functions of floats, `tl.math`; older kernels find the functions of libdevice here, too."""\n\n'
    own = [entry for entry in members if entry.place == "math"]
    hidden = {entry.name for entry in own}
    shared = [entry.name for entry in operations if "math" in entry.marks]
    more = [entry.name for entry in libdevice if entry.name not in hidden and entry.name not in shared]
    names = [*hidden, *shared, *more]
    made = [name for name in shared if name != "cdiv"]
    code = (LICENCE + MADE + doc + _import("._host", ["cdiv"]) + "from ._markers import PropagateNan, outside\n" +
            _import("._operations", made) + _import(".extra.libdevice", more) + "\n\n" +
            "\n\n".join(function(entry, "tl.math.") for entry in own) + "\n\n" + _exports(names))
    stubs = (LICENCE + MADE + doc + _import(".", [f"{name} as {name}" for name in shared]) +
             _import(".", ["PropagateNan", "_Nan", "_Value", "tensor"]) +
             _import(".extra.libdevice", [f"{name} as {name}"
                                          for name in more]) + "\n" + "\n".join(stub(entry) for entry in own))
    return code, stubs


def simple_modules(entries: list[Entry], doc: str, prefix: str, depth: str, extra: str = "") -> tuple[str, str]:
    code = (LICENCE + MADE + f'"""{doc}"""\n\nfrom {depth}_markers import outside\n{extra}\n\n' +
            "\n\n".join(function(entry, prefix) for entry in entries) + "\n\n" +
            _exports([entry.name for entry in entries] + (["libdevice"] if extra else [])))
    types = ["_Value", "tensor"] if not extra else ["constexpr", "tensor"]
    stubs = (LICENCE + MADE + f'"""{doc}"""\n\n' + _import(depth, types) +
             (extra.replace("libdevice  # noqa", "libdevice as libdevice") if extra else "") + "\n" +
             "\n".join(stub(entry) for entry in entries))
    return code, stubs


def make_files() -> dict[pathlib.Path, str]:
    members = read_table("tl.inc")
    # Classes are written by hand.
    operations = [entry for entry in members if entry.place == "tl" and entry.section != "Classes"]
    libdevice = sorted(read_table("libdevice.inc"), key=lambda entry: entry.name)
    files = {
        "_operations.py": operations_module(operations),
        "__init__.pyi": language_stub(operations, members, (HERE / "language-head.pyi").read_text()),
    }
    files["math.py"], files["math.pyi"] = math_modules(operations, members, libdevice)
    files["extra/libdevice.py"], files["extra/libdevice.pyi"] = simple_modules(
        libdevice, "The functions of libdevice, `tl.extra.libdevice`, element by element.", "libdevice.", "..")
    files["extra/cuda/__init__.py"], files["extra/cuda/__init__.pyi"] = simple_modules(
        [entry for entry in members if entry.place == "cuda"], "What GPUs have and others do not, `tl.extra.cuda`.",
        "tl.extra.cuda.", "...", "from .. import libdevice  # noqa\n")
    return {TARGET / name: text for name, text in files.items()}


def find_missing() -> list[str]:
    """Types of the table and constants of the front end that the package does not have."""
    known = {entry.name for entry in read_table("tl.inc") if entry.place == "type"}
    types = set(re.findall(r"^(\w+) = dtype\(", (TARGET / "_types.py").read_text(), re.M))
    problems = [f"_types.py and the table do not both have the type '{name}'" for name in sorted(types ^ known)]
    constants = set(
        re.findall(r'kind == ModuleKind::Language && name == "(\w+)"\)', (ROOT / "lib/IRGen/Names.cpp").read_text()))
    exports = ast.literal_eval(
        re.search(r"__all__ = (\[.*?)\*\(", (TARGET / "__init__.py").read_text(), re.S)[1] + "]")
    return problems + [f"__init__.py lacks the constant '{name}'" for name in sorted(constants - set(exports))]


def find_undocumented() -> list[str]:
    """Public names of the table that docs/language.md does not mention; roundings of libdevice are mentioned without them."""
    words = set(re.findall(r"[\w.]+\w", (ROOT / "docs/language.md").read_text()))
    words |= {word.rsplit(".", 1)[-1] for word in words}
    entries = itertools.chain.from_iterable(read_table(file.name) for file in sorted(TABLES.glob("*.inc")))
    names = {(entry.place, entry.name) for entry in entries if not entry.name.startswith("_")}
    return [
        f"docs/language.md does not mention '{name}' of {place}" for place, name in sorted(names)
        if name not in words and not (place == "libdevice" and re.sub("_r[nzdu]$", "", name) in words)
    ]


def main() -> int:
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        print(__doc__, file=sys.stderr)
        return 2
    problems = find_missing() + find_undocumented()
    for file, text in make_files().items():
        if check and (not file.exists() or file.read_text() != text):
            problems.append(
                f"{file.relative_to(ROOT)} is not what the table says: run tools/dev/language_names/generate.py")
        elif not check:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
