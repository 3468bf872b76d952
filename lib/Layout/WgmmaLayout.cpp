// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An operand's layout is matched by building the candidates and comparing: there are six. For a
// product's, its own bases say which is the only candidate.

#include "tilec/Layout/WgmmaLayout.h"

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
  int32_t warps[] = {form.rowWarps, form.columnGroups};
  if (wgmmaAccumulatorLayout(shape, warps, form.columns) != product)
    return std::nullopt;
  return form;
}

} // namespace tilec
