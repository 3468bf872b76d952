# Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What kernels have in common that are launched, wherever their code comes from.

What happens at every launch is native (python/native/Kernel.cpp); the methods of `LaunchTarget` and of the classes
derived from it are called when a kernel comes to a device or a kind of arguments for the first time.
"""

from __future__ import annotations

from . import _devices, _hooking, _native, _report
from .errors import KernelFault

#: Options of other compilers that mean nothing here.
_IGNORED_OPTIONS = {
    "allow_fp8e4nv", "allowed_dot_input_precisions", "arch", "backend_name", "cluster_dims", "default_dot_input_precision",
    "deprecated_fp8_dot_operand_dtypes", "extern_libs", "instrumentation_mode", "ir_override", "matrix_instr_nonkdim",
    "max_num_imprecise_acc_default", "maxRegAutoWS", "minRegAutoWS", "num_buffers_warp_spec", "num_consumer_groups",
    "reg_dec_producer", "reg_inc_consumer", "supported_fp8_dtypes", "waves_per_eu", "kpack",
    "pingpongAutoWS", "ptx_options", "ptx_version", "warp_size", "schedule_hint",
}  # yapf: disable


class LaunchTarget(_native.Kernel):
    """`_fn` is what launches are counted as: something with a module and a name. `arg_names` are the parameters."""

    def _default_place(self) -> tuple[int, int]:
        return _devices.current()

    def _stream(self, index: int, frameworks: int = 0, used: int = 0) -> int:
        return _devices.stream(index, frameworks, used)

    def _take_option(self, name: str, value):
        if name in _IGNORED_OPTIONS:
            return
        raise KeyError(f"keyword argument '{name}' is neither a parameter of kernel '{self._fn.__name__}' nor a launch "
                       "option")

    def _launch_options(self, given: tuple) -> dict:
        """The options of a launch with these warps, stages, registers, programs of a cluster and CTAs of a program."""
        names = ("num_warps", "num_stages", "maxnreg", "num_ctas", "split_k")
        return {name: value for name, value in zip(names, given) if value}

    def _resolved(self, args: tuple, kwargs: dict, grid) -> tuple:
        """The kernel that such a launch is of, its arguments and its keywords: itself, where nothing is around it."""
        return self, args, kwargs

    def _run_hooked(self, grid, args, kwargs):
        """What launches do instead of `_launch` once there is a hook of any kind."""
        return self._launch_counted(grid, args, kwargs)

    def _launch_counted(self, grid, args, kwargs):
        try:
            if _hooking.on_host_copies:
                from . import _host_copies

                compiled = _host_copies.launch(self, grid, args, kwargs)
            else:
                compiled = self._launch_once(grid, args, kwargs)
        except KernelFault:
            _report.launches.add(self._fn, self._is_checked(kwargs))
            raise
        except Exception as error:
            return self._recover(grid, args, kwargs, error)
        is_simulated = getattr(compiled, "is_simulated", False)
        _report.launches.add(self._fn, is_simulated and self._is_checked(kwargs), is_simulated)
        return compiled

    def _launch_once(self, grid, args, kwargs):
        """Launches it, with a timeline while something records that."""
        recording = _hooking.recording
        return self._launch(grid, args, kwargs) if recording is None else recording._launch(self, grid, args, kwargs)

    def _is_checked(self, kwargs) -> bool:
        """Whether a launch with such keywords is checked on the simulator."""
        option = None if "check" in self.arg_names else (kwargs or {}).get("check")
        return _devices.settings.check if option is None else bool(option)

    def _recover(self, grid, args, kwargs, error):
        raise error


def taken(kernel):
    """A kernel as it is; for a function of Triton's, its launches by tilec."""
    if type(kernel).__name__ == "JITFunction" and type(kernel).__module__.startswith("triton."):
        from .takeover import kernel_of

        return kernel_of(kernel)
    return kernel
