// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An operand's layout is matched by building the candidates and comparing: there are six. For a
// product's, its own bases say which is the only candidate.

#include "tilec/Layout/WgmmaLayout.h"

#include "tilec/Layout/MmaLayout.h"
#include "tilec/Layout/SharedSwizzle.h"

namespace tilec {

uint64_t WgmmaOperandForm::descriptorFields() const {
  auto encode = [](int64_t bytes) { return (uint64_t(bytes) >> 4) & 0x3FFF; };
  uint64_t mode = swizzleBytes == 128 ? 1 : swizzleBytes == 64 ? 2 : swizzleBytes == 32 ? 3 : 0;
  return encode(leadingBytes) << 16 | encode(strideBytes) << 32 | mode << 62;
}

std::optional<int32_t> wgmmaSwizzleBytes(Shape shape, int32_t elementBits, unsigned contiguousDim) {
  int64_t rowBytes = shape[contiguousDim] * elementBits / 8;
  for (int32_t swizzle : {128, 64, 32})
    if (rowBytes >= swizzle)
      return swizzle;
  return std::nullopt;
}

static LinearLayout sharedLayout(Shape shape, int32_t elementBits, unsigned contiguousDim,
                                 int32_t swizzleBytes) {
  int32_t order[] = {int32_t(contiguousDim), int32_t(1 - contiguousDim)};
  return tmaSharedLayout(shape, elementBits, swizzleBytes, order).squeezeIn(kBlock);
}

LinearLayout wgmmaSharedLayout(Shape shape, int32_t elementBits, unsigned contiguousDim) {
  return sharedLayout(shape, elementBits, contiguousDim,
                      *wgmmaSwizzleBytes(shape, elementBits, contiguousDim));
}

std::optional<WgmmaOperandForm> matchWgmmaOperand(const LinearLayout &memory, int32_t elementBits,
                                                  unsigned operand) {
  std::vector<int64_t> shape = layoutShape(memory);
  if (shape.size() != 2)
    return std::nullopt;
  unsigned depthDim = operand == 0 ? 1 : 0;
  for (unsigned dim : {1u, 0u}) {
    bool isKMajor = dim == depthDim;
    if (!isKMajor && elementBits != 16)
      continue;
    for (int32_t swizzle : {128, 64, 32}) {
      if (shape[dim] * elementBits / 8 < swizzle || shape[1 - dim] < 8 ||
          sharedLayout(shape, elementBits, dim, swizzle) != memory)
        continue;
      WgmmaOperandForm form;
      form.contiguousDim = dim;
      form.swizzleBytes = swizzle;
      // Core matrices follow one another along the strided dimension. K-major, an instruction stays
      // inside one core along K and the leading field is not looked at.
      form.strideBytes = 8 * swizzle;
      form.leadingBytes = isKMajor ? 16 : shape[1 - dim] * swizzle;
      return form;
    }
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Transposition
//===----------------------------------------------------------------------===//

/// The registers of wgmmaTransposition in which two of a lane's bits count along K in `first` and
/// `second`. The other three count pairs of rows, as ldmatrix distributes them; a thread has 16
/// neighbours along K, if it can, which is a vector of the stores.
static LinearLayout transposingRegisters(Shape shape, unsigned depthDim, int32_t numWarps,
                                         int64_t first, int64_t second) {
  constexpr int64_t kMaxVector = 16, kLanePairs = 16;
  unsigned freeDim = 1 - depthDim;
  int shift = int(llvm::Log2_64(shape[0]));
  auto along = [&](unsigned dim, int64_t coordinate) {
    return uint64_t(coordinate) << (dim == 0 ? 0 : shift);
  };
  std::vector<uint64_t> registers, rest, warps;
  for (int64_t k = 1; k < shape[depthDim]; k *= 2) {
    if (k != first && k != second)
      (k < kMaxVector ? registers : rest).push_back(along(depthDim, k));
  }
  registers.push_back(along(freeDim, 1));
  for (int64_t row = kLanePairs; row < shape[freeDim]; row *= 2)
    rest.push_back(along(freeDim, row));
  for (int32_t warp = 1; warp < numWarps; warp *= 2) {
    warps.push_back(rest.empty() ? 0 : rest.back());
    if (!rest.empty())
      rest.pop_back();
  }
  registers.insert(registers.end(), rest.begin(), rest.end());
  return LinearLayout::fromFlatBases(
      {{kRegister.str(), std::move(registers)},
       {kLane.str(),
        {along(depthDim, first), along(depthDim, second), along(freeDim, 2), along(freeDim, 4),
         along(freeDim, 8)}},
       {kWarp.str(), std::move(warps)},
       {kBlock.str(), {}}},
      {{dimName(0), int32_t(shape[0])}, {dimName(1), int32_t(shape[1])}});
}

std::optional<WgmmaTransposition> wgmmaTransposition(Shape shape, unsigned depthDim,
                                                     int32_t numWarps) {
  constexpr int32_t kBits = 8;
  if (shape[depthDim] < 32 || shape[1 - depthDim] < 16)
    return std::nullopt;
  LinearLayout target = wgmmaSharedLayout(shape, kBits, depthDim);
  std::optional<WgmmaTransposition> best;
  for (int64_t first = 4; first < shape[depthDim]; first *= 2)
    for (int64_t second = 2 * first; second < shape[depthDim]; second *= 2) {
      WgmmaTransposition found;
      found.registers = transposingRegisters(shape, depthDim, numWarps, first, second);
      found.memory = mmaSharedLayout(shape, kBits, 1 - depthDim, found.registers);
      SharedAccess load = analyseSharedAccess(found.registers, found.memory, kBits);
      std::optional<MatrixLoad> matrices = matchMatrixLoad(load.offsets, kBits);
      SharedAccess store = analyseSharedAccess(found.registers, target, kBits);
      if (!matrices)
        continue;
      int64_t elements = found.registers.getInDimSize(kRegister);
      int64_t loads = elements >> (matrices->wordBits.size() + matrices->matrixBits.size());
      found.conflicts = (matrices->wavefronts - matrices->idealWavefronts) * loads +
                        int64_t(store.wavefronts) * store.requests - elements / 4;
      if (!best || found.conflicts < best->conflicts)
        best = found;
    }
  return best;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Rows have two registers of an instruction 8 apart.
static LinearLayout withRows(LinearLayout layout, const WgmmaProductForm &form) {
  return form.pairsRows ? pairNeighbours(layout, 0, 8) : layout;
}

LinearLayout wgmmaProductLayout(Shape shape, const WgmmaProductForm &form) {
  int32_t warps[] = {form.rowWarps, form.columnGroups};
  return withRows(wgmmaAccumulatorLayout(shape, warps, form.columns), form);
}

LinearLayout wgmmaFragmentLayout(Shape shape, int32_t elementBits, const WgmmaProductForm &form) {
  int32_t warps[] = {form.rowWarps, form.columnGroups};
  int32_t perWord = std::max(1, 32 / elementBits);
  return withRows(mmaOperandLayout(shape, 0, perWord, warps, /*mFirstWarps=*/true), form);
}

std::optional<WgmmaProductForm> matchWgmmaProduct(const LinearLayout &product) {
  constexpr int64_t kInstrRows = 64;
  constexpr int32_t kMaxInstrColumns = 256, kGroupWarpBits = 2;
  std::vector<int64_t> shape = layoutShape(product);
  if (shape.size() != 2 || shape[0] < kInstrRows || shape[1] < 8 || !product.hasInDim(kRegister) ||
      !product.hasInDim(kWarp) || product.getInDimSizeLog2(kWarp) < kGroupWarpBits)
    return std::nullopt;
  WgmmaProductForm form;
  for (int32_t bit = kGroupWarpBits; bit < product.getInDimSizeLog2(kWarp); ++bit)
    (product.getBasis(kWarp, bit, dimName(0)) ? form.rowWarps : form.columnGroups) *= 2;
  // What a warpgroup's registers reach along the columns before anything else does.
  for (int32_t bit = 0; bit < product.getInDimSizeLog2(kRegister); ++bit)
    if (product.getBasis(kRegister, bit, dimName(1)) == form.columns)
      form.columns *= 2;
  form.columns = std::min(form.columns, kMaxInstrColumns);
  for (bool pairsRows : {false, true}) {
    form.pairsRows = pairsRows;
    if (wgmmaProductLayout(shape, form) == product)
      return form;
  }
  return std::nullopt;
}

} // namespace tilec
