# The experimental names of descriptors, a persistent loop that counts by itself.
import triton
import triton.language as tl

from project import parts
from project.compat import make_tensor_descriptor


@triton.jit
def matmul_descriptors(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                       GROUP_M: tl.constexpr):
    dtype = c_ptr.dtype.element_ty
    a_desc = make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BLOCK_M, BLOCK_K])
    b_desc = make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BLOCK_N, BLOCK_K])
    c_desc = make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BLOCK_M, BLOCK_N])
    start_pid = tl.program_id(axis=0)
    num_sms = tl.num_programs(0)
    num_pid_m = tl.cdiv(M, BLOCK_M)
    num_pid_n = tl.cdiv(N, BLOCK_N)
    num_tiles = num_pid_m * num_pid_n
    tile_id = start_pid - num_sms
    tiles_per_sm = num_tiles // num_sms
    if start_pid < num_tiles % num_sms:
        tiles_per_sm += 1
    for _ in range(0, tiles_per_sm):
        tile_id += num_sms
        pid_m, pid_n = parts.swizzle(tile_id, num_pid_m, num_pid_n, GROUP_M)
        acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for ki in range(tl.cdiv(K, BLOCK_K)):
            a = tl._experimental_descriptor_load(a_desc, [pid_m * BLOCK_M, ki * BLOCK_K], [BLOCK_M, BLOCK_K], dtype)
            b = b_desc.load([pid_n * BLOCK_N, ki * BLOCK_K])
            acc = tl.dot(a, b.T, acc)
        tl._experimental_descriptor_store(c_desc, acc.to(dtype), [pid_m * BLOCK_M, pid_n * BLOCK_N])
