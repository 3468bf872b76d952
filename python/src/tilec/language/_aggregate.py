# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Classes whose objects kernels make and take. On the host an object is a tuple of its fields with their names, which is
how it comes to a kernel."""

from __future__ import annotations

import inspect
import types
from typing import Any

from ._constexpr import constexpr


def _aggregate(cls: type) -> type:
    """Marks a class whose objects kernels make: it declares its fields, and its methods are `jit` functions. On the host
    its objects are made as others are, and are arguments of kernels whose parameter has the class as annotation."""
    fields = {name: kind for base in reversed(cls.__mro__) for name, kind in _annotations(base).items()}
    namespace = {name: _field(index, name) for index, name in enumerate(fields)}
    namespace.update(__new__=_new, __init__=_initialized, __repr__=_represent, _fields=tuple(fields), _kinds=fields,
                     _written=cls, __module__=cls.__module__, __qualname__=cls.__qualname__, __doc__=cls.__doc__,
                     __annotations__=_annotations(cls), _asdict=_asdict, _replace=_replace)
    bases = (cls, ) if issubclass(cls, tuple) else (cls, tuple)
    return type(cls.__name__, bases, namespace)


def _annotations(cls: type) -> dict[str, Any]:
    return {} if cls.__module__ == "builtins" else dict(inspect.get_annotations(cls))


def _field(index: int, name: str) -> property:

    def read(self):
        return tuple.__getitem__(self, index)

    def refuse(self, value):
        raise AttributeError(f"'{name}' of a {type(self).__name__} cannot be set on the host: _replace({name}=...) makes "
                             "another object")

    return property(read, refuse, doc=f"The field '{name}'.")


def _new(cls, *args, **kwargs):
    made = _Unfinished(cls)
    initialize = _attribute(cls, "__init__")
    if initialize is not None:
        initialize(made, *args, **kwargs)
    else:
        _set_fields(made, args, kwargs)
    missing = [name for name in cls._fields if name not in vars(made)]
    if missing:
        raise TypeError(f"{cls.__name__}() did not set the field '{missing[0]}'")
    return tuple.__new__(cls, (_as_declared(cls._kinds[name], vars(made)[name]) for name in cls._fields))


def _initialized(self, *args, **kwargs):
    """Everything was done when it was made."""


def _set_fields(made: _Unfinished, args: tuple, kwargs: dict):
    """What a class without `__init__` does: the fields in their order, or by name, else their defaults."""
    cls = made._class
    if len(args) > len(cls._fields):
        raise TypeError(f"{cls.__name__}() has {len(cls._fields)} fields, got {len(args)}")
    given = dict(zip(cls._fields, args))
    for name, value in kwargs.items():
        if name not in cls._fields or name in given:
            raise TypeError(f"{cls.__name__}() {'got' if name in given else 'has no field'} '{name}'"
                            f"{' twice' if name in given else ''}")
        given[name] = value
    for name in cls._fields:
        if name not in given:
            given[name] = _default(cls, name)
    vars(made).update(given)
    finish = _attribute(cls, "__post_init__")
    if finish is not None:
        finish(made)


def _default(cls: type, name: str) -> Any:
    for base in cls.__mro__:
        if name in vars(base) and not isinstance(vars(base)[name], property):
            return vars(base)[name]
    raise TypeError(f"{cls.__name__}() lacks the field '{name}'")


def _attribute(cls: type, name: str):
    """The program's own method of a name, as Python's function."""
    for base in cls.__mro__:
        found = vars(base).get(name)
        if found is not None and found is not _initialized and base.__module__ != "builtins":
            return getattr(found, "fn", found)
    return None


def _as_declared(kind: Any, value: Any) -> Any:
    # The class may be Triton's, and an annotation a text.
    name = kind.strip("'\"").split(".")[-1] if isinstance(kind, str) else getattr(kind, "__name__", "")
    if name != "constexpr":
        return value
    return constexpr(value.value if type(value).__name__ == "constexpr" else value)


def _represent(self) -> str:
    return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in zip(self._fields, self))})"


def _asdict(self) -> dict[str, Any]:
    """The fields by name."""
    return dict(zip(self._fields, self))


def _replace(self, **changes: Any):
    """Another object, with other values of these fields."""
    wrong = [name for name in changes if name not in self._fields]
    if wrong:
        raise TypeError(f"{type(self).__name__} has no field '{wrong[0]}'")
    return tuple.__new__(type(self), (_as_declared(self._kinds[name], changes.get(name, value))
                                      for name, value in zip(self._fields, self)))


class _Unfinished:
    """What `__init__` sets the fields of. It has the class's methods."""

    def __init__(self, cls: type):
        self.__dict__["_class"] = cls

    def __setattr__(self, name: str, value: Any):
        if name not in self._class._fields:
            raise AttributeError(f"{self._class.__name__} has no field '{name}'")
        self.__dict__[name] = value

    def __getattr__(self, name: str) -> Any:
        found = inspect.getattr_static(self._class, name, None)
        if found is None or isinstance(found, property) and name in self._class._fields:
            raise AttributeError(f"'{name}' of a {self._class.__name__} is not set yet")
        if isinstance(found, types.FunctionType):
            return types.MethodType(found, self)
        return found.__get__(self, self._class) if hasattr(found, "__get__") else found
