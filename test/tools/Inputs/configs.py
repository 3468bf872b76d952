# Lists of configurations as people write them: loops, comprehensions, filters, hooks, and one that only the host can make.
import itertools
import torch
import triton
import triton.language as tl
from functools import partial

SIZES = [64, 128]


def is_cuda():
    return triton.runtime.driver.active.get_current_target().backend == "cuda"


def get_configs(pre_hook=None):
    configs = []
    for m in SIZES:
        for n in [32, 64]:
            for s in range(2, 4):
                if m * n > 4096:
                    continue
                configs.append(triton.Config({"BLOCK_M": m, "BLOCK_N": n}, num_stages=s, num_warps=4 if m == 64 else 8,
                                             pre_hook=pre_hook))
    configs += [triton.Config({"BLOCK_M": 16, "BLOCK_N": 16}, maxnreg=128, num_ctas=2)]
    configs += [triton.Config({"BLOCK_M": 16, "BLOCK_N": 32}, split_k=4)]
    return configs


def keep(conf):
    m = conf.kwargs["BLOCK_M"]
    return not (m == 128 and conf.num_stages == 2) and conf.split_k in (None, 4)


def hook(nargs):
    nargs["x"].zero_()


def prune(configs, named_args, **kwargs):
    return configs[:1]


@triton.autotune(configs=list(filter(keep, get_configs(pre_hook=hook))), key=["M", "N"], reset_to_zero=["x_ptr"],
                 prune_configs_by={"early_config_prune": prune})
@triton.jit
def k(x_ptr, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, BLOCK_M), 0.0)


@triton.autotune(configs=[triton.Config({"B": b}, pre_hook=partial(hook)) for b in (1, 2)], key=[])
@triton.jit
def k2(x_ptr, B: tl.constexpr):
    tl.store(x_ptr, B)


@triton.autotune(configs=get_configs() if count_devices() > 1 else [], key=[])
@triton.jit
def k3(x_ptr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    tl.store(x_ptr, BLOCK_M)


# A parameter of the option's name is a constant of the kernel.
@triton.autotune(configs=[triton.Config({"split_k": 3})], key=[])
@triton.jit
def k4(x_ptr, split_k: tl.constexpr):
    tl.store(x_ptr, split_k)
