// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packed conversions to and from 8-bit floats as two calls of the host's conversion.

#include "SimBuilder.h"

using namespace mlir;
using namespace tilec;

static Lowered widen(NVVM::ConvertF8x2ToF16x2Op convert, SimBuilder &b) {
  bool isE4M3 = isa<Float8E4M3FNType>(convert.getSrcType());
  if ((!isE4M3 && !isa<Float8E5M2Type>(convert.getSrcType())) || convert.getRelu())
    return reportUnsupported(convert, "expected e4m3 or e5m2, without 'relu'");
  Location loc = convert.getLoc();
  StringRef function = isE4M3 ? "tilec_host_e4m3_to_f32" : "tilec_host_e5m2_to_f32";
  Value result = LLVM::PoisonOp::create(b.rewriter, loc, convert.getType());
  for (int64_t i : {0, 1}) {
    Value bits =
        LLVM::ExtractElementOp::create(b.rewriter, loc, convert.getSrc(), b.constantI32(loc, i));
    Value value = b.callPure(loc, function, b.rewriter.getF32Type(), bits);
    Value half = LLVM::FPTruncOp::create(b.rewriter, loc, b.rewriter.getF16Type(), value);
    result = LLVM::InsertElementOp::create(b.rewriter, loc, result, half, b.constantI32(loc, i));
  }
  b.rewriter.replaceOp(convert, result);
  return Lowered::Yes;
}

Lowered tilec::lowerFloat8(Operation *op, SimBuilder &b) {
  if (auto convert = dyn_cast<NVVM::ConvertF8x2ToF16x2Op>(op))
    return widen(convert, b);
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
