// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Named constructors for the layouts that kernels use (blocked, tensor-core accumulators and
// operands, swizzled shared memory) and the shape operations that relabel tensor coordinates
// without moving data.
//
// A register layout has the input dimensions register, lane, warp, block (all present, in this
// order) and the output dimensions dim0 .. dim<R-1> (in this order, so dim0 is the minor one when
// outputs are flattened; the row-major order of reshape is taken care of inside reshapeLayout).
// A shared-memory layout has the input dimensions offset, block; offset counts elements.
//
// Shapes are powers of two. Orders list dimensions fastest first: {1, 0} is row-major.

#ifndef TILEC_LAYOUT_TENSORLAYOUTS_H
#define TILEC_LAYOUT_TENSORLAYOUTS_H

#include "tilec/Layout/LinearLayout.h"

namespace tilec {

using Shape = llvm::ArrayRef<int64_t>;

/// Every size is a power of two, at least 1, and the total stays within 2^30 elements.
bool isLayoutShape(Shape shape);

/// {rank-1, ..., 0}: the last dimension is the fastest.
std::vector<int32_t> rowMajorOrder(unsigned rank);

//===----------------------------------------------------------------------===//
// Register layouts
//===----------------------------------------------------------------------===//

/// Products, in `order`, of identities for registers, then lanes, then warps; fitted to `shape`.
/// Every list has the tensor's rank; entries are powers of two.
LinearLayout blockedLayout(Shape shape, llvm::ArrayRef<int32_t> sizePerThread,
                           llvm::ArrayRef<int32_t> threadsPerWarp,
                           llvm::ArrayRef<int32_t> warpsPerCta, llvm::ArrayRef<int32_t> order);

/// Blocked layout with lanes and warps spread along `order`, the fastest dimension first, as far as
/// the shape has room; what is left over goes to the slowest dimension (and so replicates).
LinearLayout spreadBlockedLayout(Shape shape, llvm::ArrayRef<int32_t> sizePerThread,
                                 llvm::ArrayRef<int32_t> order, int32_t numWarps,
                                 int32_t threadsPerWarp = 32);

/// spreadBlockedLayout with one element per thread and row-major order.
LinearLayout defaultBlockedLayout(Shape shape, int32_t numWarps, int32_t threadsPerWarp = 32);

/// Makes a register layout cover exactly `shape`. Too small along a dimension: appends register
/// bases, dimensions in `order` (row-major when empty). Too large: bases beyond the size become
/// zero, so those positions replicate; such registers are dropped. Idempotent.
LinearLayout fitToShape(const LinearLayout &layout, Shape shape,
                        llvm::ArrayRef<int32_t> order = {});

/// Accumulator of mma.sync m16n8: warps spread over the last two dimensions, the last one fastest.
/// A third, leading dimension is a batch. `warpsPerCta` has the tensor's rank.
LinearLayout mmaAccumulatorLayout(Shape shape, llvm::ArrayRef<int32_t> warpsPerCta);

/// Accumulator of wgmma m64n<instrN>, rank 2. The first four warps take 16 rows each; further
/// warpgroups extend M first, then N. `warpsPerCta[0]` is a multiple of 4.
LinearLayout wgmmaAccumulatorLayout(Shape shape, llvm::ArrayRef<int32_t> warpsPerCta,
                                    int32_t instrN);

/// Register operand of mma.sync (or A of wgmma in registers, with `mFirstWarps`). Operand 0 is
/// [.., M, K], operand 1 is [.., K, N]. `kWidth` elements are packed along K (32 / bitwidth for a
/// plain instruction). Warps that split the other dimension replicate.
LinearLayout mmaOperandLayout(Shape shape, unsigned operand, int32_t kWidth,
                              llvm::ArrayRef<int32_t> warpsPerCta, bool mFirstWarps = false);

//===----------------------------------------------------------------------===//
// Shared-memory layouts (offset in elements -> tensor coordinate; invertible)
//===----------------------------------------------------------------------===//

/// Plain order, no swizzle.
LinearLayout linearSharedLayout(Shape shape, llvm::ArrayRef<int32_t> order);

/// Row r's elements are XOR-ed in groups of `vec`: the element at (r, c) of the two fastest
/// dimensions has the column c ^ (vec * ((r / perPhase) % maxPhase)) in its row.
LinearLayout swizzledSharedLayout(Shape shape, int32_t vec, int32_t perPhase, int32_t maxPhase,
                                  llvm::ArrayRef<int32_t> order);

/// Layout that a tensor copy (TMA) writes and wgmma reads: core tiles of 8 rows times
/// `swizzleBytes` (0 for none, else 32, 64, 128) with 16-byte units XOR-ed by the row; cores are
/// repeated along the strided dimension first, then along the contiguous one.
LinearLayout tmaSharedLayout(Shape shape, int32_t elementBits, int32_t swizzleBytes,
                             llvm::ArrayRef<int32_t> order);

//===----------------------------------------------------------------------===//
// Shape operations: the result describes the same data in the same places
//===----------------------------------------------------------------------===//

/// Deletes dimension `axis` and drops registers that became replicas: the layout of a reduction's
/// result. Lanes and warps that ran along the axis replicate.
LinearLayout sliceLayout(const LinearLayout &layout, unsigned axis);

/// As sliceLayout with all registers kept: register r stands for the same elements as before, less
/// their coordinate along `axis`. removeRegisterReplication(dropDim(L, axis), &map) gives the slice
/// and tells where each old register's element is in it.
LinearLayout dropDim(const LinearLayout &layout, unsigned axis);

/// The layout of the elements with the same coordinate / `elements` along `axis`; `elements` is a
/// power of two. Nothing where lanes or warps say which slice an element is of, or a register bit
/// that moves along another dimension, too. `registerMap`: as of removeRegisterReplication, for the
/// registers of all slices.
std::optional<LinearLayout> extractSliceLayout(const LinearLayout &layout, unsigned axis,
                                               int32_t elements,
                                               std::vector<int32_t> *registerMap = nullptr);

/// Inserts a dimension of size 1 at `axis`.
LinearLayout expandDimsLayout(const LinearLayout &layout, unsigned axis);

/// Result dimension i is the operand's dimension `order[i]` (numpy's transpose).
LinearLayout permuteLayout(const LinearLayout &layout, llvm::ArrayRef<int32_t> order);

/// Same elements in row-major order (last dimension fastest) under another shape of the same size.
LinearLayout reshapeLayout(const LinearLayout &layout, Shape newShape);

/// Grows dimensions of size 1 to `shape`: first uses replicated lane bits, then replicated warp
/// bits, then appends register bits. Result register r holds what operand register
/// r % elementsPerThread(layout) holds.
LinearLayout broadcastTo(const LinearLayout &layout, Shape shape);

/// The operand layout that broadcasts to `result` without moving data: bases along dimensions that
/// have size 1 in `operandShape` are cleared, replicated registers dropped.
LinearLayout broadcastOperandLayout(const LinearLayout &result, Shape operandShape);

//===----------------------------------------------------------------------===//
// Register layout queries
//===----------------------------------------------------------------------===//

/// The same layout with all four input dimensions present in canonical order.
LinearLayout toRegisterLayout(const LinearLayout &layout);

/// Drops register bits that are zero or depend on lower bits of the register. When asked for,
/// `registerMap[r]` is the register of the result that holds what register r held.
LinearLayout removeRegisterReplication(const LinearLayout &layout,
                                       std::vector<int32_t> *registerMap = nullptr);

/// Registers that a thread holds, replicas included.
int32_t elementsPerThread(const LinearLayout &layout);

/// Tensor shape: output sizes dim0 .. dim<R-1>.
std::vector<int64_t> layoutShape(const LinearLayout &layout);

/// Mask of the bits of `inDim` whose basis has a component along dimension `axis`.
int32_t maskAlongAxis(const LinearLayout &layout, llvm::StringRef inDim, unsigned axis);

/// No warp or block bit runs along `axis`.
bool axisIsWithinWarp(const LinearLayout &layout, unsigned axis);

/// Register bits b0, b1, ... whose bases are 1, 2, 4, ... along `axis` and nothing else, while no
/// other basis touches those coordinate bits: 2^n consecutive elements in one thread.
std::vector<unsigned> contiguousRegisterBits(const LinearLayout &layout, unsigned axis);

} // namespace tilec

#endif // TILEC_LAYOUT_TENSORLAYOUTS_H
