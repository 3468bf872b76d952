# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What TILEC=1 in the environment does, through tilec.pth of the wheel: `tilec.install()` as soon as Triton is imported."""

from __future__ import annotations

import importlib.util
import sys


class _Finder:
    """Stands before the other finders, for the one import of `triton`."""

    def find_spec(self, name, path=None, target=None):
        if name != "triton":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        # A folder of that name without modules is not Triton.
        if spec is None or spec.origin is None:
            spec = _stand_in_spec()
        spec.loader = _Loader(spec.loader)
        return spec


class _Loader:
    """Loads a module as its own loader does, then installs tilec."""

    def __init__(self, loader):
        self._loader = loader

    def __getattr__(self, name):
        return getattr(self._loader, name)

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        try:
            import tilec

            tilec.install()
        except Exception as error:
            import warnings

            warnings.warn(f"TILEC is set, but tilec cannot take over Triton's kernels: {error}", RuntimeWarning,
                          stacklevel=2)


def _stand_in_spec():
    from . import standin

    return standin.find_spec()


def register():
    if "triton" not in sys.modules and not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


register()
