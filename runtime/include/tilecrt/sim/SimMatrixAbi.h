// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tensor-core part of the ABI of SimAbi.h: warp-wide and warpgroup-wide matrix products, and
// the warp-wide moves of 8x8 matrices. Operands and results are arrays of the registers that one
// thread gives to the instruction, in the order in which PTX names them.
#ifndef TILECRT_SIM_SIMMATRIXABI_H
#define TILECRT_SIM_SIMMATRIXABI_H

#include <cstdint>

namespace tilecrt::sim::abi {

/// Element types of matrix products. 16-bit types are packed two to a register, 8-bit types four;
/// f64 takes registers of eight bytes.
enum MatrixType : int32_t {
  MatrixF16 = 0,
  MatrixBF16 = 1,
  MatrixTF32 = 2, ///< In 32 bits; the low 13 are ignored.
  MatrixF64 = 3,
  MatrixS8 = 4,
  MatrixU8 = 5,
  MatrixE4M3 = 6,
  MatrixE5M2 = 7,
  MatrixF32 = 8, ///< Accumulators only, as S32.
  MatrixS32 = 9,
  NumMatrixTypes = 10
};

/// Bits of `flags` of tilec_sim_wgmma.
enum WgmmaFlag : int32_t {
  WgmmaAccumulate = 1,  ///< scale-d: D += A * B instead of D = A * B.
  WgmmaNegateA = 2,     ///< imm-scale-a is -1.
  WgmmaNegateB = 4,     ///< imm-scale-b is -1.
  WgmmaTransposeA = 8,  ///< A in shared memory is M-major.
  WgmmaTransposeB = 16, ///< B is N-major.
  WgmmaRegistersA = 32, ///< A is in registers.
  WgmmaSaturate = 64    ///< .satfinite, for s32.
};

} // namespace tilecrt::sim::abi

extern "C" {

/// mma.sync.aligned.m<m>n<n>k<k>.row.col: d = a * b + c, for m16n8 with k of 4, 8, 16 or 32 (as the
/// element types allow) and m8n8. Sums are exact up to one rounding to the accumulator's type;
/// integers wrap around unless `saturate`.
void tilec_sim_mma(int32_t m, int32_t n, int32_t k, int32_t typeA, int32_t typeB, int32_t typeC,
                   int32_t typeD, int32_t saturate, const void *a, const void *b, const void *c,
                   void *d, int32_t site);

/// ldmatrix.sync.aligned.m8n8.x<count>.b16 with or without .trans: lane 8 * i + r gives the offset
/// of row r of matrix i; `dst` gets `count` words.
void tilec_sim_ldmatrix(uint32_t offset, int32_t count, int32_t transposed, void *dst,
                        int32_t site);

/// stmatrix, likewise.
void tilec_sim_stmatrix(uint32_t offset, int32_t count, int32_t transposed, const void *src,
                        int32_t site);

/// wgmma.fence.sync.aligned and wgmma.commit_group.sync.aligned.
void tilec_sim_wgmma_fence(int32_t site);
void tilec_sim_wgmma_commit(int32_t site);

/// wgmma.mma_async.sync.aligned.m64n<n>k<k>. `acc` holds the accumulator's registers as words (n /
/// 2 of them; n / 4 when D is f16) and gets words that stand for the result while it is in flight:
/// they may be handed to further products, to tilec_sim_wgmma_wait and tilec_sim_wgmma_read, and
/// are NaN for everything else. `a` holds A's four registers, or is ignored in favour of `descA`.
void tilec_sim_wgmma(int32_t n, int32_t k, int32_t typeA, int32_t typeB, int32_t typeD,
                     int32_t flags, const void *a, uint64_t descA, uint64_t descB, void *acc,
                     int32_t site);

/// wgmma.wait_group: at most `pending` of the warp's groups stay in flight. Of the `count` words at
/// `words` (which may be null), those that stand for results that have landed are replaced by them.
void tilec_sim_wgmma_wait(int32_t pending, void *words, int32_t count, int32_t site);

/// What a use of a register sees that may be an accumulator's: a landed result for a word that
/// stands for one; a finding when it is still in flight; any other word as it is.
uint32_t tilec_sim_wgmma_read(uint32_t word, int32_t site);

} // extern "C"

#endif // TILECRT_SIM_SIMMATRIXABI_H
