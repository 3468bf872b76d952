# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a function in Python to the text that is compiled.

The compiler reads text and never runs Python, so what a kernel's global names and closure variables stand for has to be
in the text. Each function and class that a kernel reaches becomes a module of its own, in memory, which the others
import:

    #line 41 "/home/me/kernels.py"
    @__triton.jit
    def kernel(x, y, n, BLOCK: tl.constexpr):
        ...
    import triton.language as tl; from tilec_kernels.k1 import gelu as gelu; LIMIT = 20.0

The first line says where the text is from, so that messages name the user's own file and lines; the names are bound at
the end, where they take no line from it. Modules are numbered in the order in which they are found: the same program
gives the same text, which the compiler's cache relies on.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
import re
import textwrap
import types

from . import _native, _values, _watch
from ._locks import Lock
from ._values import python_function

#: Modules of the host that the compiler knows by their names.
_HOST_MODULES = {
    "math", "typing", "os", "sys", "torch", "numpy", "functools", "itertools", "operator", "enum", "dataclasses",
    "contextlib", "collections", "packaging", "importlib", "abc", "logging", "warnings", "inspect",
}  # yapf: disable

_PACKAGE = "tilec_kernels"

#: CPython before 3.11.5 counts how deep all threads' trees are in one number: gh-106905.
_parsing = Lock()


#: Counts changes of functions' texts.
edition = 0


def forget_texts():
    """Has all kernels made again from their functions' texts, as one of them is another one now."""
    global edition
    edition += 1
    _native.forget_opened()


class Source:
    """What is compiled for one kernel."""

    def __init__(self, name: str, text: str, modules: list[tuple[str, str]], watched: list[tuple]):
        self.name = name  #: the file, for messages
        self.text = text
        self.edition = edition
        self.modules = modules  #: (path, text) of what it imports
        self.watched = watched  #: variables of the program whose values it has, as records of _watch.py


def make_source(kernel, functions: dict[str, object] | None = None) -> Source:
    """The text of a kernel and of everything that it reaches.

    :param functions: by name, those that are constants of its calls
    """
    builder = _Builder(functions or {})
    text = builder.add(kernel)
    first, *rest = builder.finish()
    assert first[1] == text
    return Source(inspect.getsourcefile(python_function(kernel)) or "<kernel>", text, rest, list(builder.watched.values()))


def function_text(function) -> tuple[str, int]:
    """The text of a function from `def` on, and the line that it stands on."""
    fn = python_function(function)
    try:
        lines, first = inspect.getsourcelines(fn)
    except (OSError, TypeError) as error:
        name = getattr(fn, "__qualname__", repr(fn))
        raise ValueError(f"the source of kernel '{name}' cannot be read: it was not defined in a file. Kernels made by "
                         "exec() need their text in linecache, or a file") from error
    text = _dedented(lines)
    match = re.search(r"^(async\s+)?def\s+\w+\s*\(", text, re.MULTILINE)
    if not match:
        raise ValueError(f"'{getattr(fn, '__qualname__', fn)}' is no function with a def statement")
    skipped = text[:match.start()]
    # Text that was changed after the function was made: Triton's tests do that.
    changed = getattr(function, "src", None)
    return changed if isinstance(changed, str) else text[match.start():], max(first, 1) + skipped.count("\n")


def _class_text(cls) -> tuple[str, int]:
    try:
        lines, first = inspect.getsourcelines(cls)
    except (OSError, TypeError) as error:
        raise ValueError(f"the source of class '{cls.__qualname__}' cannot be read") from error
    return _dedented(lines), max(first, 1)


def _dedented(lines: list[str]) -> str:
    """Without the first line's indentation; comments and texts of several lines may have less."""
    margin = re.match(r"[ \t]*", lines[0]).group()
    return "".join(line.removeprefix(margin) for line in lines)


class _Names(ast.NodeVisitor):
    """The names that a function or class takes from outside of it, with the attributes that are asked of them."""

    def __init__(self):
        self.used: dict[str, set[tuple[str, ...]]] = {}
        self.local: set[str] = set()

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Load):
            self.used.setdefault(node.id, set()).add(())
        else:
            self.local.add(node.id)

    def visit_Attribute(self, node):
        path = []
        while isinstance(node, ast.Attribute):
            path.append(node.attr)
            node = node.value
        if isinstance(node, ast.Name):
            self.used.setdefault(node.id, set()).add(tuple(reversed(path)))
        else:
            self.visit(node)

    def visit_arg(self, node):
        self.local.add(node.arg)
        if node.annotation:
            self.visit(node.annotation)

    def visit_Constant(self, node):
        pass

    def visit_FunctionDef(self, node):
        self.local.add(node.name)
        self.generic_visit(node)

    visit_ClassDef = visit_FunctionDef


def _names_of(text: str, name: str) -> dict[str, set[tuple[str, ...]]]:
    names = _Names()
    with _parsing:
        tree = ast.parse(text)
    names.visit(tree)
    # A parameter may have the name of what its default or annotation uses; a name that is assigned is local.
    outside = set()
    for node in tree.body:
        for part in _evaluated_outside(node):
            for inner in ast.walk(part):
                if isinstance(inner, ast.Name):
                    outside.add(inner.id)
    return {used: paths for used, paths in names.used.items() if used not in names.local or used in outside}


def _evaluated_outside(node):
    """Annotations, defaults and decorators: parts of a definition that are evaluated around it."""
    if isinstance(node, ast.FunctionDef):
        arguments = node.args
        yield from node.decorator_list
        yield from (part for part in arguments.defaults + arguments.kw_defaults if part)
        yield from (argument.annotation for argument in arguments.posonlyargs + arguments.args + arguments.kwonlyargs
                    if argument.annotation)
        if node.returns:
            yield node.returns
    elif isinstance(node, ast.ClassDef):
        yield from node.decorator_list
        yield from node.bases


class _Builder:

    def __init__(self, functions: dict[str, object]):
        self.functions = sorted(functions.items())
        #: Module numbers by the identity of what they define; the objects are kept.
        self.numbers: dict[int, int] = {}
        self.objects: list = []
        self.texts: list[str | None] = []
        self.watched: dict[tuple, tuple] = {}

    def finish(self) -> list[tuple[str, str]]:
        return [(f"{_PACKAGE}/k{number}.py", text) for number, text in enumerate(self.texts)]

    def add(self, thing) -> str:
        """Makes the module of a function or class; returns its text."""
        number = self._reserve(thing)
        text = self._class(thing) if isinstance(thing, type) else self._function(thing)
        self.texts[number] = text
        return text

    def _reserve(self, thing) -> int:
        number = self.numbers[id(thing)] = len(self.texts)
        self.objects.append(thing)
        self.texts.append(None)
        return number

    def _function(self, function) -> str:
        text, line = function_text(function)
        fn = python_function(function)
        cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or ()))
        header = ["import triton as __triton"]
        header += self._bindings(text, fn.__name__, cells, fn.__globals__)
        for name, constant in self.functions:
            if constant is not function:
                header.append(self._import(constant, name))
        decorator = _decorator(function)
        return _located(fn.__code__.co_filename, line, header, decorator, text)

    def _class(self, cls) -> str:
        text, line = _class_text(cls)
        import sys

        module = sys.modules.get(cls.__module__)
        header = ["import triton as __triton"]
        header += self._bindings(text, cls.__name__, {}, getattr(module, "__dict__", {}))
        return _located(inspect.getsourcefile(cls) or "<class>", line, header, "", text)

    def _bindings(self, text: str, name: str, cells: dict, variables: dict) -> list[str]:
        lines = []
        for used, paths in _names_of(text, name).items():
            line = self._bind_variable(cells.get(used, variables), used, paths)
            if line:
                lines.append(line)
        return lines

    def _bind_variable(self, holder, name: str, paths: set[tuple[str, ...]]) -> str | None:
        """A statement that gives a variable of the program its value, which is watched from now on."""
        value = _watch.read(holder, name)
        if value is _watch.missing:
            if hasattr(builtins, name):
                return None
        elif isinstance(value, types.ModuleType) or _values.language_path(value):
            return self._bind(name, value, paths)
        self.watched[id(holder), name] = _watch.record(holder, name, value)
        return None if value is _watch.missing else self._bind(name, value, paths)

    def _bind(self, name: str, value, paths: set[tuple[str, ...]]) -> str | None:
        """A statement that gives a name its value; None where the compiler has to do without."""
        if isinstance(value, types.ModuleType):
            return self._bind_module(name, value, paths)
        known = _values.language_path(value)
        if known:
            path, member = known
            return f"from {path} import {member} as {name}"
        if _values.is_function(value):
            return self._import(value, name)
        if isinstance(value, type):
            if issubclass(value, tuple) and hasattr(value, "_fields") and not _is_written(value):
                fields = f"namedtuple({value.__name__!r}, {list(value._fields)})"
                return f"import collections as __collections; {name} = __collections.{fields}"
            return self._import(value, name) if _has_source(value) else None
        if isinstance(value, types.FunctionType):
            return self._import(value, name) if _has_source(value) else None
        wrapped = value
        while hasattr(wrapped, "fn") and not _values.is_function(wrapped):
            wrapped = wrapped.fn  # Heuristics and autotuners around a function.
        if _values.is_function(wrapped):
            return self._import(wrapped, name)
        literal = _values.literal(value, "__triton.language")
        if literal is None:
            return None
        if type(value).__name__ == "constexpr":
            literal = f"__triton.language.constexpr({literal})"
        imports = [self._import(function, _values.function_name(function)) for function in _values.functions_of(value)]
        return "; ".join([*imports, f"{name} = {literal}"])

    def _import(self, thing, name: str) -> str:
        number = self.numbers.get(id(thing))
        if number is None:
            number = len(self.texts)
            self.add(thing)
        return f"from {_PACKAGE}.k{number} import {python_function(thing).__name__} as {name}"

    def _bind_module(self, name: str, module: types.ModuleType, paths: set[tuple[str, ...]]) -> str | None:
        path = _language_module(module)
        if path or module.__name__.split(".")[0] in _HOST_MODULES:
            path = path or module.__name__
            return f"import {path} as {name}" if path != name else f"import {path}"
        # A module of the program: those of its members that are used.
        members: dict[str, set[tuple[str, ...]]] = {}
        for path in paths:
            if path:
                members.setdefault(path[0], set()).add(path[1:])
        number = len(self.texts)
        self.texts.append(None)
        lines = ["import triton as __triton"]
        for member, rest in sorted(members.items()):
            if member in vars(module):
                line = self._bind_variable(vars(module), member, rest)
            else:
                line = self._bind(member, getattr(module, member), rest) if hasattr(module, member) else None
            if line:
                lines.append(line)
        self.texts[number] = "\n".join(lines) + "\n"
        return f"from {_PACKAGE} import k{number} as {name}"


def _located(file: str, line: int, header: list[str], decorator: str, text: str) -> str:
    """A module with a definition that stands on that line of a file, in the same column."""
    above = []
    indentation = _indentation(file, line, text)
    # The directive names the line after its own, from 2 on.
    if indentation and line - 1 - bool(decorator) >= 2:
        above.append("if True:")
        text = textwrap.indent(text, indentation)
    else:
        indentation = ""
    if decorator:
        above.append(indentation + decorator)
    directive = f'#line {max(line - len(above), 2)} "{file}"'
    return "\n".join([directive, *above, text.rstrip("\n"), "; ".join(header)]) + "\n"


def _indentation(file: str, line: int, text: str) -> str:
    """What stands before a definition on its line of the file; nothing where the file is not what it was."""
    found = linecache.getline(file, line).rstrip("\n")
    first = text.partition("\n")[0].rstrip("\r")
    return found[:-len(first)] if first and found.endswith(first) and not found[:-len(first)].strip() else ""


def _decorator(function) -> str:
    kind = type(function).__name__
    if kind == "ConstexprFunction" or getattr(function, "is_constexpr", False):
        return "@__triton.constexpr_function"
    if getattr(function, "__triton_builtin__", False):
        return "@__triton.language.core.builtin"
    if isinstance(function, types.FunctionType):
        return ""
    return "@__triton.jit(noinline=True)" if getattr(function, "noinline", False) else "@__triton.jit"


def _is_written(cls) -> bool:
    """Whether there is a class statement: `namedtuple()` makes classes without."""
    try:
        inspect.getsourcelines(cls)
    except (OSError, TypeError):
        return False
    return True


def _has_source(thing) -> bool:
    return thing.__module__ not in ("builtins", "typing") and not thing.__module__.startswith("torch")


def _language_module(module: types.ModuleType) -> str | None:
    """The name in the language of a module of tilec's or Triton's."""
    name = module.__name__
    if name.endswith("triton_helpers"):
        return name
    root, _, rest = name.partition(".")
    if root not in ("tilec", "triton"):
        return None
    if rest.startswith("language.extra") and rest.endswith("libdevice"):
        rest = "language.extra.libdevice"
    return f"triton.{rest}" if rest else "triton"
