import triton
import triton.language as tl


def twice(x):
    return x * 2


twice = triton.jit(twice)


def tuned(x, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), twice(n))
    tl.store(x + BLOCK, EVEN)


def prune(configs, named_args, **kwargs):
    return [c for c in configs if c.kwargs["BLOCK"] <= named_args["n"]]


tuned = triton.jit(tuned, do_not_specialize=["n"])
tuned = triton.heuristics({"EVEN": lambda args: args["BLOCK"] % 2 == 0 and args["n"] > 4})(tuned)
tuned = triton.autotune(configs=[triton.Config({"BLOCK": b}, num_warps=w) for b in (32, 64) for w in [4, 8]],
                        key=["n"], prune_configs_by={"early_config_prune": prune})(tuned)
# heuristic n=40
