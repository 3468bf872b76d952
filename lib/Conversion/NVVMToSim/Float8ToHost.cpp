// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packed conversions to 8-bit floats as two calls of the host's conversion.

#include "SimBuilder.h"

using namespace mlir;
using namespace tilec;

Lowered tilec::lowerFloat8(Operation *op, SimBuilder &b) {
  auto convert = dyn_cast<NVVM::ConvertF32x2ToF8x2Op>(op);
  if (!convert)
    return Lowered::No;
  bool isE4M3 = isa<Float8E4M3FNType>(convert.getDstTy());
  bool isRounding = convert.getRnd() == NVVM::FPRoundingMode::RN &&
                    convert.getSat() == NVVM::SaturationMode::SATFINITE;
  if ((!isE4M3 && !isa<Float8E5M2Type>(convert.getDstTy())) || !isRounding || convert.getRelu())
    return reportUnsupported(op, "expected e4m3 or e5m2, rounding 'rn' and 'satfinite'");
  Location loc = op->getLoc();
  StringRef function = isE4M3 ? "tilec_host_f32_to_e4m3" : "tilec_host_f32_to_e5m2";
  auto pair = VectorType::get({2}, b.rewriter.getI8Type());
  Value result = LLVM::PoisonOp::create(b.rewriter, loc, pair);
  // The first operand goes to the upper byte.
  Value operands[] = {convert.getB(), convert.getA()};
  for (auto [i, operand] : llvm::enumerate(operands)) {
    Value bits = b.callPure(loc, function, b.rewriter.getI8Type(), operand);
    result = LLVM::InsertElementOp::create(b.rewriter, loc, result, bits, b.constantI32(loc, i));
  }
  b.rewriter.replaceOp(op, b.bits(loc, result, convert.getType()));
  return Lowered::Yes;
}
