# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the assertions of a test that are about text: of a kernel's stages, or of an error's message.

An expression is about a text when it reads `asm["..."]`, or a name that such an expression was assigned to, or calls a
function of the file that returns one; a parameter is one when some call in the file gives it one. What is counted while
going over a text's lines is of the text, too. Names of other functions are other names.

Assertions about stages are turned into records: they neither fail nor end the test, so that what the test says of a
kernel's results is judged whatever its text is. Where a part of an assertion is about no text, that part stays one.

    python text_assertions.py FILE...          prints what was found
"""

from __future__ import annotations

import ast
import sys

#: What stands for the text of an exception among the names of stages, and for `asm` itself.
MESSAGE, STAGES = "message", "stages"
#: Stages that are code: what is made of them, a process or a launch, is judged.
_CODE = {"cubin"}
#: What the transformed module calls.
RECORD = "__tilec_conformance_text__"

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_NOTHING: frozenset = frozenset()


class _Scope:
    """The names of a function and what texts they are of."""

    def __init__(self, function, parent):
        self.function = function
        self.parent = parent
        self.names: dict[str, frozenset] = {}
        self.returned: frozenset = _NOTHING
        self.functions: dict[str, _Scope] = {}
        self.local: set[str] = set()
        if isinstance(function, _FUNCTIONS):
            arguments = function.args
            self.parameters = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
        else:
            self.parameters = []
        self.local.update(self.parameters)

    def get(self, name: str) -> frozenset:
        scope = self
        while scope is not None:
            if name in scope.local:
                return scope.names.get(name, _NOTHING)
            scope = scope.parent
        return _NOTHING

    def find_function(self, name: str):
        scope = self
        while scope is not None:
            if name in scope.functions:
                return scope.functions[name]
            scope = scope.parent
        return None


class Texts:
    """What is about text in a module."""

    def __init__(self, tree: ast.Module):
        self._changed = True
        self._scopes: list[_Scope] = []
        self._module = self._make_scope(tree, None)
        while self._changed:
            self._changed = False
            for scope in self._scopes:
                self._visit_block(scope.function.body, scope, _NOTHING)
        #: Assertions with the texts that they are about, and lines of other statements that are about one.
        self.assertions: dict[ast.Assert, frozenset] = {}
        self.lines: dict[int, frozenset] = {}
        for scope in self._scopes:
            for statement in _statements(scope.function):
                self._note(statement, scope)

    def of(self, node: ast.expr, scope) -> frozenset:
        """The texts that an expression is about."""
        if isinstance(node, ast.Name):
            return scope.get(node.id)
        if isinstance(node, ast.Attribute) and node.attr == "asm":
            return frozenset([STAGES])
        if isinstance(node, ast.Subscript):
            found = self.of(node.value, scope)
            if STAGES not in found:
                return found | self.of(node.slice, scope)
            # An unknown stage may be code.
            name = node.slice.value if isinstance(node.slice, ast.Constant) else "cubin"
            return (found - {STAGES}) | (_NOTHING if name in _CODE else frozenset([str(name)]))
        if isinstance(node, ast.Lambda):
            return _NOTHING
        found = _NOTHING
        if isinstance(node, ast.Call):
            found = self._of_call(node, scope)
        elif isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
            inner = _Scope(ast.Module([], []), scope)
            for generator in node.generators:
                of_iterable = self.of(generator.iter, inner)
                found |= of_iterable
                for name in _target_names(generator.target):
                    inner.local.add(name)
                    inner.names[name] = of_iterable
                for condition in generator.ifs:
                    found |= self.of(condition, inner)
            scope = inner
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                found |= self.of(child, scope)
            elif isinstance(child, ast.keyword):
                found |= self.of(child.value, scope)
        return found - {STAGES} if isinstance(node, ast.Call) else found

    def _of_call(self, node: ast.Call, scope) -> frozenset:
        if _expects_error(node):
            return frozenset([MESSAGE])
        callee = scope.find_function(node.func.id) if isinstance(node.func, ast.Name) else None
        if callee is None:
            return _NOTHING
        for name, argument in zip(callee.parameters, node.args):
            self._set(callee, name, self.of(argument, scope))
        for keyword in node.keywords:
            if keyword.arg in callee.parameters:
                self._set(callee, keyword.arg, self.of(keyword.value, scope))
        return callee.returned

    def _make_scope(self, function, parent) -> _Scope:
        scope = _Scope(function, parent)
        self._scopes.append(scope)
        for statement in _statements(function):
            for name in _bound_names(statement):
                scope.local.add(name)
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                # A kernel is called with tensors; a text never comes there.
                scope.functions[statement.name] = self._make_scope(statement, scope)
            if isinstance(statement, ast.ClassDef):
                self._make_scope(statement, scope)
        return scope

    def _set(self, scope, name: str, texts: frozenset):
        before = scope.names.get(name, _NOTHING)
        if not texts <= before:
            scope.names[name] = before | texts
            self._changed = True

    def _assign(self, target, texts: frozenset, scope):
        for name in _target_names(target):
            self._set(scope, name, texts)

    def _visit_block(self, block, scope, control: frozenset):
        for statement in block:
            self._visit(statement, scope, control)

    def _visit(self, node, scope, control: frozenset):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            texts = (self.of(node.value, scope) if node.value is not None else _NOTHING) | control
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                self._assign(target, texts, scope)
        elif isinstance(node, ast.Return):
            texts = (self.of(node.value, scope) if node.value is not None else _NOTHING) | control
            if not texts <= scope.returned:
                scope.returned |= texts
                self._changed = True
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            texts = self.of(node.iter, scope)
            self._assign(node.target, texts, scope)
            # What is counted in a loop over a text's lines.
            self._visit_block([*node.body, *node.orelse], scope, control | texts)
            return
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                if item.optional_vars is not None:
                    self._assign(item.optional_vars, self.of(item.context_expr, scope), scope)
        elif isinstance(node, ast.Try):
            for handler in node.handlers:
                if handler.name:
                    self._set(scope, handler.name, frozenset([MESSAGE]))
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            call = node.value
            texts = self.of(call, scope)
            is_change = isinstance(call.func, ast.Attribute) and call.func.attr in ("append", "add", "extend", "update")
            if is_change and isinstance(call.func.value, ast.Name):
                self._set(scope, call.func.value.id, texts | control)
        else:
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    self.of(child, scope)  # For the calls in it.
        for name in ("body", "orelse", "finalbody"):
            self._visit_block(getattr(node, name, []) if not isinstance(node, ast.expr) else [], scope, control)
        for handler in getattr(node, "handlers", []):
            self._visit_block(handler.body, scope, control)
        for case in getattr(node, "cases", []):
            self._visit_block(case.body, scope, control)

    def _note(self, statement, scope):
        if isinstance(statement, ast.Assert):
            texts = self.of(statement.test, scope)
            if texts:
                self.assertions[statement] = texts
            texts &= {MESSAGE}  # What is about stages does not fail.
            lines = range(statement.lineno, statement.end_lineno + 1)
        else:
            texts = _NOTHING
            for child in ast.iter_child_nodes(statement):
                if isinstance(child, ast.expr):
                    texts |= self.of(child, scope)
            body = getattr(statement, "body", None)
            end = body[0].lineno if isinstance(body, list) and body else statement.end_lineno + 1
            lines = range(statement.lineno, end)
        if texts:
            for line in lines:
                self.lines[line] = self.lines.get(line, _NOTHING) | texts


def _statements(function):
    """All statements of a function, those of functions in it left out."""
    todo = list(function.body) if isinstance(function.body, list) else []
    while todo:
        statement = todo.pop(0)
        yield statement
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        for name in ("body", "orelse", "finalbody"):
            todo += getattr(statement, name, [])
        for handler in getattr(statement, "handlers", []):
            todo += handler.body
        for case in getattr(statement, "cases", []):
            todo += case.body


def _target_names(target):
    return [node.id for node in ast.walk(target) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)]


def _bound_names(statement):
    if isinstance(statement, ast.Assign):
        return [name for target in statement.targets for name in _target_names(target)]
    if isinstance(statement, (ast.AugAssign, ast.AnnAssign, ast.For, ast.AsyncFor)):
        return _target_names(statement.target)
    if isinstance(statement, (ast.With, ast.AsyncWith)):
        return [name for item in statement.items if item.optional_vars for name in _target_names(item.optional_vars)]
    if isinstance(statement, ast.Try):
        return [handler.name for handler in statement.handlers if handler.name]
    return []


def _expects_error(node: ast.Call) -> bool:
    return getattr(node.func, "attr", getattr(node.func, "id", "")) in ("raises", "warns")


class _Recorder(ast.NodeTransformer):
    """Turns the assertions about stages into records."""

    def __init__(self, texts: Texts):
        self._texts = texts

    def visit_Assert(self, node: ast.Assert):
        found = self._texts.assertions.get(node, _NOTHING)
        if not found or found == {MESSAGE}:
            return node
        parts = node.test.values if isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.And) else [node.test]
        return [self._record(part, node) for part in parts]

    def _record(self, test, node: ast.Assert):
        # A part is about text when a whole of its own would be.
        alone = _part_texts(self._texts, test, node)
        if not alone - {MESSAGE}:
            return ast.copy_location(ast.Assert(test, node.msg), node)
        nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
        call = ast.Call(ast.Name(RECORD, ast.Load()), [
            ast.Lambda(nothing, test), ast.Constant(tuple(sorted(alone - {MESSAGE}))), ast.Constant(node.lineno),
            ast.Constant(ast.unparse(test))], [])  # yapf: disable
        return ast.fix_missing_locations(ast.copy_location(ast.Expr(call), node))


def _part_texts(texts: Texts, test, node: ast.Assert) -> frozenset:
    for scope in texts._scopes:
        if any(statement is node for statement in _statements(scope.function)):
            return texts.of(test, scope)
    return texts.assertions[node]


def transform(tree: ast.Module) -> Texts:
    """Turns the assertions of a module about stages into records; returns what was found in it."""
    texts = Texts(tree)
    _Recorder(texts).visit(tree)
    return texts


def main():
    for path in sys.argv[1:]:
        with open(path) as file:
            texts = Texts(ast.parse(file.read()))
        for node, found in sorted(texts.assertions.items(), key=lambda item: item[0].lineno):
            print(f"{path}:{node.lineno}: {', '.join(sorted(found))}: {ast.unparse(node.test)[:140]}")


if __name__ == "__main__":
    main()
