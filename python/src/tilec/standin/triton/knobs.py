# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Knobs that programs turn. Nothing here has an effect: tilec's own settings are `tilec.settings`."""

from __future__ import annotations

import contextlib
from typing import Any


class Knobs:
    """A group of knobs: attributes with any names; those that programs read have their values from the start."""

    def __init__(self, **values: Any):
        self._values = values
        self.reset()

    def reset(self) -> Knobs:
        """Gives all knobs their first values."""
        vars(self).update(self._values)
        return self

    def copy(self) -> Knobs:
        """A group of the same knobs."""
        made = Knobs(**self._values)
        vars(made).update((name, value) for name, value in vars(self).items() if name != "_values")
        return made

    @contextlib.contextmanager
    def scope(self):
        """Undoes what is set inside of a `with`."""
        before = dict(vars(self))
        try:
            yield
        finally:
            vars(self).clear()
            vars(self).update(before)


autotuning = Knobs(cache=False, print=False)
build = Knobs(impl=None)
cache = Knobs(dir=None, dump_dir=None, override_dir=None)
compilation = Knobs(always_compile=False, disable_line_info=False, dump_ir=False, enable_asan=False,
                    instrumentation_mode="", listener=None, override=False)
language = Knobs(default_fp_fusion=True)
nvidia = Knobs(dump_nvptx=False, disable_ptxas_opt=False, libdevice_path=None, ptxas=None)
runtime = Knobs(debug=False, interpret=False, jit_cache_hook=None, jit_post_compile_hook=None, override_arch=None)
