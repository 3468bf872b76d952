# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Knobs that programs turn. Hooks of launches and compilations are called, `runtime.debug`, `compilation.disable_line_info`
and `language.default_fp_fusion` are options of all compilations, `autotuning.print` prints; the others have no effect, and
setting a hook that is never called is warned of."""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from typing import Any

from tilec import TilecWarning, _devices, _hooking, _jit_hooks, _native
from tilec._jit_hooks import HookChain

#: Hooks and modes that there is nothing like here.
_WITHOUT_EFFECT = {
    "runtime.add_stages_inspection_hook": "kernels are not compiled by Triton's stages",
    "runtime.kernel_unload_hook": "kernels stay loaded",
    "autotuning.listener": "the Autotuner has the timings of a search, and prints them with autotuning.print",
    "compilation.listener": "tilec.report() says what was compiled",
    "compilation.instrumentation_mode": "the simulator checks kernels, with tilec.check()",
    "compilation.enable_asan": "the simulator checks kernels, with tilec.check()",
    "build.impl": "nothing is built by a compiler of the host",
    "cache.manager_class": "TILEC_CACHE_DIR says where kernels are kept",
    "cache.remote_manager_class": "TILEC_SHARED_CACHE says where kernels are shared",
}


def _warn(path: str):
    warnings.warn(f"triton.knobs.{path} has no effect with tilec: {_WITHOUT_EFFECT[path]}", TilecWarning, stacklevel=3)


class _NeverCalled(HookChain):
    """A chain of hooks for what does not happen here."""

    def __init__(self, path: str):
        super().__init__()
        self._path = path

    def add(self, func):
        super().add(func)
        _warn(self._path)


class Knobs:
    """A group of knobs: attributes with any names; those that programs read have their values from the start."""

    def __init__(self, group: str, **values: Any):
        vars(self).update(_group=group, _values=values, **values)

    def __setattr__(self, name: str, value: Any):
        vars(self)[name] = value
        path = f"{self._group}.{name}"
        if value and path in _WITHOUT_EFFECT:
            _warn(path)
        _turned()

    @property
    def knobs(self) -> dict[str, Any]:
        """The values by name."""
        return {name: getattr(self, name) for name in self._values}

    def reset(self) -> Knobs:
        """Gives all knobs their first values."""
        vars(self).update(self._values)
        _turned()
        return self

    def copy(self) -> Knobs:
        """A group of the same knobs."""
        made = Knobs(self._group, **self._values)
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
            _turned()


#: Flags of a compilation: TILEC_COMPILE_... of tilec.h.
_DEBUG, _NO_LINE_INFO, _NO_FMA = 1, 2, 4


def _turned():
    """Has what follows from the knobs follow."""
    if "language" not in globals():
        return  # They are not all there yet.
    flags = _DEBUG if runtime.debug else 0
    flags |= _NO_LINE_INFO if compilation.disable_line_info else 0
    flags |= 0 if language.default_fp_fusion and not language.force_disable_fp_fusion else _NO_FMA
    if flags != _hooking.compile_flags:
        _hooking.compile_flags = flags
        _native.forget_opened()
    _jit_hooks.notice()
    if autotuning.print or "tilec.tuner" in sys.modules:
        from tilec import tuner

        tuner.print_autotuning = bool(autotuning.print) or _devices.flag("TILEC_PRINT_AUTOTUNING")


def refresh_knobs():
    """Reads again what the environment says of `runtime.debug`."""
    runtime.debug = _devices.flag("TRITON_DEBUG")


_HOME = os.path.join(os.path.expanduser("~"), ".triton")

autotuning = Knobs("autotuning", cache=False, listener=None, print=_devices.flag("TRITON_PRINT_AUTOTUNING"))
build = Knobs("build", impl=None, cc=None, cudacrt_path=None, cudart_path=None, backend_dirs=set())
cache = Knobs("cache", home_dir=os.path.dirname(_HOME), dir=os.environ.get("TRITON_CACHE_DIR", os.path.join(_HOME, "cache")),
              dump_dir=os.path.join(_HOME, "dump"), override_dir=os.path.join(_HOME, "override"), manager_class=None,
              remote_manager_class=None)
compilation = Knobs("compilation", always_compile=False, disable_line_info=_devices.flag("TRITON_DISABLE_LINE_INFO"),
                    dump_ir=False, enable_asan=False, front_end_debugging=False, allow_non_constexpr_globals=True,
                    instrumentation_mode="", listener=None, override=False, store_binary_only=False, use_ir_loc=None)
nvidia = Knobs("nvidia", cuobjdump=None, disable_ptxas_opt=False, dump_nvptx=False, dump_ptxas_log=False,
               libcuda_path=None, libdevice_path=None, mock_ptx_version=None, nvdisasm=None, ptxas=None,
               ptxas_blackwell=None, ptxas_options=None)
amd = Knobs("amd", buffer_ops_analyze_small_tensor_range=False, dump_amdgcn=False, libhip_path=None,
            scalarize_packed_fops=False, use_async_copy=False, use_block_pingpong=None, use_buffer_atomics=True,
            use_buffer_ops=True, use_in_thread_transpose=None)
proton = Knobs("proton", cupti_lib_dir=None, disable=False, enable_nvtx=True)
redis = Knobs("redis", host="localhost", key_format="triton:{key}:{filename}", port=6379)
runtime = Knobs("runtime", debug=_devices.flag("TRITON_DEBUG"), interpret=_devices.flag("TRITON_INTERPRET"),
                override_arch=None, add_stages_inspection_hook=None, jit_cache_hook=None, jit_post_compile_hook=None)
# What a group is reset to has no hooks in it: they stay.
vars(runtime).update(launch_enter_hook=HookChain(), launch_exit_hook=HookChain(reversed=True),
                     kernel_load_start_hook=HookChain(), kernel_load_end_hook=HookChain(reversed=True),
                     kernel_unload_hook=_NeverCalled("runtime.kernel_unload_hook"))
language = Knobs("language", default_fp_fusion=os.environ.get("TRITON_DEFAULT_FP_FUSION", "1") != "0",
                 force_disable_fp_fusion=_devices.flag("TRITON_FORCE_DISABLE_FP_FUSION"), fp32_default=None)

_jit_hooks.watch(runtime)
_turned()
