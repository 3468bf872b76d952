# Configurations that the source prunes, and a heuristic that looks at the value of an argument.
import triton
import triton.language as tl


def early(configs, named_args, **kwargs):
    kept = []
    for config in configs:
        if config.kwargs["BLOCK"] <= named_args["n"] and config.num_warps == 4:
            kept.append(config)
    return kept


def model(n, BLOCK, **kwargs):
    return n / BLOCK


@triton.autotune(configs=[triton.Config({"BLOCK": 64 * 2**i}, num_warps=warps) for i in range(2, 6) for warps in (1, 4)],
                 key=["n"],
                 prune_configs_by={"early_config_prune": early, "perf_model": model, "top_k": 1})
@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit
def scale(x_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        tl.store(x_ptr + offs, tl.load(x_ptr + offs) * 2)
    else:
        tl.store(x_ptr + offs, tl.load(x_ptr + offs, mask=offs < n) * 2, mask=offs < n)
