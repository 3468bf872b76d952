@triton.autotune(configs=[triton.Config({'BLOCK': b}, num_warps=w) for b in [64, 128] for w in (4, 8) if b > w],
                 key=['n'])
@triton.heuristics({'EVEN': lambda args: args['n'] % args['BLOCK'] == 0, **extra})
@triton.jit(noinline=True, do_not_specialize=["n"])
def k(x, n: 'i32', /, y: "*fp32" = None, *rest, EVEN: tl.constexpr = True, BLOCK: tl.constexpr, **kw) -> tl.tensor:
    return x[None, :] if EVEN else x[:, None]
