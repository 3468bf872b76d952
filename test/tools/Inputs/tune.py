# A scaled copy with configurations: two that work, one that writes out of bounds, one that never ends, one that does not
# compile, two that cannot do well. The host functions make the configurations and are never run otherwise.
import triton
import triton.language as tl

SIZES = [64, 256]


def get_configs():
    configs = []
    for block in SIZES:
        configs.append(triton.Config({"BLOCK": block, "MODE": "good"}, num_warps=1))
    for mode in ["wild", "endless", "wrong"]:
        configs += [triton.Config({"BLOCK": 64, "MODE": mode}, num_warps=1)]
    return configs


def prune(configs, named_args, **kwargs):
    return [config for config in configs if named_args["x_ptr"].numel() > 0]


@triton.autotune(configs=get_configs(), key=["n"], restore_value=["x_ptr"], prune_configs_by={"early_config_prune": prune})
@triton.jit
def scale(x_ptr, n, BLOCK: tl.constexpr, MODE: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    if MODE == "wild":
        offs += 1 << 29
        mask = offs > n
    if MODE == "wrong":
        mask = offs < m
    x = tl.load(x_ptr + offs, mask=mask)
    if MODE == "endless":
        i = n
        while i > 0:
            i = i * 2 // 2 + n - i
            x += i.to(tl.float32)
    tl.store(x_ptr + offs, x * 2, mask=mask)
