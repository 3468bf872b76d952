# A problem is an aggregate; tiles are found in an endless loop that returns.
import triton
import triton.language as tl
from triton.language.core import _aggregate as aggregate


@aggregate
class Problem:
    a: tl.tensor
    b: tl.tensor
    c: tl.tensor
    M: tl.tensor
    N: tl.tensor
    K: tl.tensor

    def __init__(self, a, b, c, M, N, K):
        self.a = a
        self.b = b
        self.c = c
        self.M = M
        self.N = N
        self.K = K


@triton.jit
def load_problem(a_table, b_table, c_table, sizes_ptr, index, DTYPE: tl.constexpr, ALIGN: tl.constexpr):
    sizes_ptr += 3 * index
    a = tl.load(a_table + index).to(tl.pointer_type(DTYPE))
    b = tl.load(b_table + index).to(tl.pointer_type(DTYPE))
    c = tl.load(c_table + index).to(tl.pointer_type(DTYPE))
    return Problem(tl.multiple_of(a, 16), tl.multiple_of(b, 16), tl.multiple_of(c, 16), tl.load(sizes_ptr),
                   tl.multiple_of(tl.load(sizes_ptr + 1), ALIGN), tl.multiple_of(tl.load(sizes_ptr + 2), ALIGN))


@triton.jit
def compute_tile(problem, tile, DTYPE: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    tiles_m = tl.cdiv(problem.M, BLOCK_M)
    rm = tile % tiles_m * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = tile // tiles_m * BLOCK_N + tl.arange(0, BLOCK_N)
    rk = tl.arange(0, BLOCK_K)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, problem.K, BLOCK_K):
        inside = rk + k < problem.K
        a = tl.load(problem.a + rm[:, None] * problem.K + (rk + k)[None, :], mask=(rm < problem.M)[:, None] & inside[None, :],
                    other=0.0)
        b = tl.load(problem.b + rn[:, None] * problem.K + (rk + k)[None, :], mask=(rn < problem.N)[:, None] & inside[None, :],
                    other=0.0)
        acc = tl.dot(a, tl.trans(b), acc)
    mask = (rm < problem.M)[:, None] & (rn < problem.N)[None, :]
    tl.store(problem.c + rm[:, None] * problem.N + rn[None, :], acc.to(DTYPE), mask=mask)


@triton.jit
def grouped_matmul(a_table, b_table, c_table, sizes_ptr, problems, DTYPE: tl.constexpr, BLOCK_M: tl.constexpr,
                   BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, ALIGN: tl.constexpr):
    tile = tl.program_id(0)
    first = 0
    index = 0
    while True:
        if index >= problems:
            return
        problem = load_problem(a_table, b_table, c_table, sizes_ptr, index, DTYPE, ALIGN)
        tiles = tl.cdiv(problem.M, BLOCK_M) * tl.cdiv(problem.N, BLOCK_N)
        while tile < first + tiles:
            compute_tile(problem, tile - first, DTYPE, BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N, BLOCK_K=BLOCK_K)
            tile += tl.num_programs(0)
        first += tiles
        index += 1
