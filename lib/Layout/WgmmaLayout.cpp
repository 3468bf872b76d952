// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An operand's layout is matched by building the candidates and comparing: there are six. For a
// product's, its own bases say which is the only candidate.

#include "tilec/Layout/WgmmaLayout.h"

#include "tilec/Layout/MatrixAccess.h"
#include "tilec/Layout/MmaLayout.h"

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

namespace {
/// Which bits of K a lane counts, and whether the second one is its last bit rather than its
/// second.
struct TransposingLanes {
  int64_t first, second;
  bool isSpread = false;
};
} // namespace

/// The registers of wgmmaTransposition. A thread has 16 bytes of neighbours along K, if it can,
/// which is a vector of the stores; and along the rows 16 bytes, a vector of the loads, or a pair
/// of bytes, which ldmatrix distributes in this way over lanes.
static LinearLayout transposingRegisters(Shape shape, int32_t bits, unsigned depthDim,
                                         int32_t numWarps, TransposingLanes lanes) {
  int64_t depthOfThread = 128 / bits, rowsOfThread = bits == 8 ? 2 : 128 / bits;
  unsigned freeDim = 1 - depthDim;
  int shift = int(llvm::Log2_64(shape[0]));
  auto along = [&](unsigned dim, int64_t coordinate) {
    return uint64_t(coordinate) << (dim == 0 ? 0 : shift);
  };
  std::vector<uint64_t> registers, rest, warps, ofLane;
  for (int64_t k = 1; k < shape[depthDim]; k *= 2)
    if (k != lanes.first && k != lanes.second)
      (k < depthOfThread ? registers : rest).push_back(along(depthDim, k));
  for (int64_t row = 1; row < rowsOfThread; row *= 2)
    registers.push_back(along(freeDim, row));
  for (int64_t row = rowsOfThread; row < 8 * rowsOfThread; row *= 2)
    ofLane.push_back(along(freeDim, row));
  for (int64_t row = 8 * rowsOfThread; row < shape[freeDim]; row *= 2)
    rest.push_back(along(freeDim, row));
  ofLane.insert(lanes.isSpread ? ofLane.end() : ofLane.begin(), along(depthDim, lanes.second));
  ofLane.insert(ofLane.begin(), along(depthDim, lanes.first));
  for (int32_t warp = 1; warp < numWarps; warp *= 2) {
    warps.push_back(rest.empty() ? 0 : rest.back());
    if (!rest.empty())
      rest.pop_back();
  }
  registers.insert(registers.end(), rest.begin(), rest.end());
  return LinearLayout::fromFlatBases(
      {{kRegister.str(), std::move(registers)},
       {kLane.str(), std::move(ofLane)},
       {kWarp.str(), std::move(warps)},
       {kBlock.str(), {}}},
      {{dimName(0), int32_t(shape[0])}, {dimName(1), int32_t(shape[1])}});
}

/// Wavefronts of a warp that reads the whole tensor that bank conflicts add; nothing for bytes that
/// ldmatrix cannot read.
static std::optional<int64_t> conflictsOfLoads(const LinearLayout &registers,
                                               const LinearLayout &memory, int32_t bits) {
  SharedAccess load = analyseSharedAccess(registers, memory, bits);
  if (bits != 8)
    return int64_t(load.conflicts()) * load.requests;
  std::optional<MatrixAccess> matrices = matchMatrixAccess(load.offsets, bits);
  if (!matrices)
    return std::nullopt;
  return (matrices->wavefronts - matrices->idealWavefronts) *
         matrices->requests(registers.getInDimSize(kRegister));
}

std::optional<WgmmaTransposition> wgmmaTransposition(Shape shape, int32_t elementBits,
                                                     unsigned depthDim, int32_t numWarps,
                                                     const std::optional<LinearLayout> &given) {
  assert((elementBits == 8 || elementBits == 32) && "16 bits need no transposition");
  if (shape[depthDim] < (elementBits == 8 ? 32 : 16) ||
      shape[1 - depthDim] < (elementBits == 8 ? 16 : 32))
    return std::nullopt;
  LinearLayout target = wgmmaSharedLayout(shape, elementBits, depthDim);
  std::optional<WgmmaTransposition> best;
  auto tryLanes = [&](TransposingLanes lanes) {
    WgmmaTransposition found;
    found.registers = transposingRegisters(shape, elementBits, depthDim, numWarps, lanes);
    found.memory =
        given ? *given : mmaSharedLayout(shape, elementBits, 1 - depthDim, found.registers);
    std::optional<int64_t> ofLoads = conflictsOfLoads(found.registers, found.memory, elementBits);
    if (!ofLoads)
      return;
    SharedAccess store = analyseSharedAccess(found.registers, target, elementBits);
    int64_t words = int64_t(found.registers.getInDimSize(kRegister)) * elementBits / 32;
    found.conflicts = *ofLoads + int64_t(store.wavefronts) * store.requests - words;
    if (!best || found.conflicts < best->conflicts)
      best = found;
  };
  for (int64_t first = 4; first < shape[depthDim]; first *= 2)
    for (int64_t second = 2 * first; second < shape[depthDim]; second *= 2)
      for (bool isSpread : {false, true})
        if (elementBits == 32 || !isSpread)
          tryLanes({first, second, isSpread});
  return best;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Rows have two registers of an instruction 8 apart.
static LinearLayout withRows(LinearLayout layout, const WgmmaProductForm &form) {
  return form.pairsRows ? pairNeighbours(layout, 0, 8) : layout;
}

/// Columns that are the next warpgroup's follow 8 of each, rather than all of an instruction.
static LinearLayout withColumns(LinearLayout layout, const WgmmaProductForm &form) {
  constexpr int64_t kColumns = 8;
  for (int32_t groups = 1; form.alternates && groups < form.columnGroups; groups *= 2)
    layout = pairNeighbours(layout, 1, form.columns * form.columnGroups / 2, kColumns);
  return layout;
}

LinearLayout wgmmaProductLayout(Shape shape, const WgmmaProductForm &form) {
  int32_t warps[] = {form.rowWarps, form.columnGroups};
  return withColumns(withRows(wgmmaAccumulatorLayout(shape, warps, form.columns), form), form);
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
  // By turns first: that is also the layout of instructions of 8 columns.
  for (bool alternates : {true, false}) {
    if (alternates && form.columnGroups == 1)
      continue;
    // What a warpgroup's registers reach along the columns before anything else does.
    int32_t next = alternates ? form.columnGroups : 1;
    form.alternates = alternates;
    form.columns = 8;
    for (int32_t bit = 0; bit < product.getInDimSizeLog2(kRegister); ++bit)
      if (product.getBasis(kRegister, bit, dimName(1)) == form.columns * next)
        form.columns *= 2;
    form.columns = std::min(form.columns, kMaxInstrColumns);
    if (alternates && form.columns == 8)
      continue;
    for (bool pairsRows : {false, true}) {
      form.pairsRows = pairsRows;
      if (wgmmaProductLayout(shape, form) == product)
        return form;
    }
  }
  return std::nullopt;
}

} // namespace tilec
