// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ProductUnit.h.

#include "tilec/Analysis/ProductUnit.h"

using namespace mlir;
using namespace tilec;

static constexpr int64_t kInstrRows = 64, kInstrColumns = 8, kInstrDepthBits = 256;
static constexpr int64_t kWarpsOfGroup = 4;

/// Whether wgmma multiplies these types into this accumulator.
static bool hasInstruction(const ProductForm &form) {
  Type a = form.lhs.getElementType(), b = form.rhs.getElementType();
  Type acc = form.result.getElementType();
  auto isFloat8 = [](Type type) { return isa<Float8E4M3FNType, Float8E5M2Type>(type); };
  if (isFloat8(a) && isFloat8(b))
    return acc.isF32() || acc.isF16();
  if (a != b)
    return false;
  if (a.isF16())
    return acc.isF32() || acc.isF16();
  if (a.isBF16())
    return acc.isF32();
  if (a.isF32())
    return acc.isF32() && form.precision == tile::InputPrecision::tf32;
  return a.isInteger(8) && acc.isInteger(32);
}

std::optional<std::string> tilec::whyNotWgmma(const ProductForm &form, const Processor &processor,
                                              int64_t warps) {
  if (!processor.has(Feature::Wgmma))
    return "the target has no wgmma";
  if (form.result.getRank() != 2)
    return "wgmma takes no batches";
  if (warps % kWarpsOfGroup)
    return "wgmma needs a multiple of 4 warps";
  if (!hasInstruction(form))
    return "wgmma has no such combination of types";
  if (form.result.getDimSize(0) < kInstrRows)
    return "wgmma needs at least 64 rows";
  if (form.result.getDimSize(1) < kInstrColumns)
    return "wgmma needs at least 8 columns";
  if (form.lhs.getDimSize(1) * tile::bitWidthOf(form.lhs.getElementType()) < kInstrDepthBits)
    return "wgmma needs 32 bytes along K";
  return std::nullopt;
}

/// Whether 8-bit integers become the floats that are multiplied, and nothing else is done to them.
static bool isWidened(Value value) {
  while (auto permute = value.getDefiningOp<tile::PermuteOp>())
    value = permute.getSource();
  Operation *op = value.getDefiningOp();
  return isa_and_nonnull<arith::SIToFPOp, arith::UIToFPOp>(op) &&
         getElementTypeOrSelf(op->getOperand(0).getType()).isInteger(8);
}

int64_t tilec::wgmmasOfColumns(int64_t columns) {
  constexpr int64_t most = 256;
  return llvm::divideCeil(columns, most);
}

bool tilec::hasWgmmaOfColumns(int64_t columns, Type element) {
  constexpr int64_t step = 8;
  int64_t count = wgmmasOfColumns(columns), each = columns / count;
  if (count > 2 || columns % (count * step) != 0)
    return false;
  return !element.isInteger(8) || each % (2 * step) == 0 || each <= 3 * step;
}

std::optional<unsigned> tilec::operandWidenedInRegisters(Value lhs, Value rhs) {
  // What is widened once is multiplied by each column. One mma.sync makes 8 of them, with any
  // number of rows.
  constexpr int64_t kLeastColumns = 16;
  Value operands[] = {lhs, rhs};
  for (unsigned left : {0u, 1u}) {
    auto type = cast<RankedTensorType>(operands[left].getType());
    auto other = cast<RankedTensorType>(operands[1 - left].getType());
    Type element = type.getElementType();
    if (type.getRank() == 2 && (element.isF16() || element.isBF16()) && isWidened(operands[left]) &&
        !isWidened(operands[1 - left]) && type.getDimSize(left) >= kInstrRows &&
        other.getDimSize(1 - left) >= kLeastColumns)
      return left;
  }
  return std::nullopt;
}
