// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Numbers.h. The two common types are the host's own, the rest is LLVM's soft floats.

#include "Numbers.h"

using llvm::APFloat;
using llvm::APInt;
using llvm::bit_cast;
using llvm::RoundingMode;

namespace tilec::interpreter {

FloatFormat::FloatFormat(mlir::Type scalar)
    : semantics(&mlir::cast<mlir::FloatType>(scalar).getFloatSemantics()),
      width(scalar.getIntOrFloatBitWidth()) {}

double FloatFormat::decode(uint64_t bits) const {
  if (width == 64)
    return bit_cast<double>(bits);
  if (width == 32)
    return double(bit_cast<float>(uint32_t(bits)));
  APFloat value(*semantics, APInt(width, bits));
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

uint64_t FloatFormat::encode(double value, RoundingMode rounding) const {
  if (width == 64)
    return bit_cast<uint64_t>(value);
  if (width == 32 && rounding == RoundingMode::NearestTiesToEven)
    return bit_cast<uint32_t>(float(value));
  APFloat number(value);
  bool losesInfo;
  number.convert(*semantics, rounding, &losesInfo);
  return number.bitcastToAPInt().getZExtValue();
}

uint64_t FloatFormat::encodeSaturated(double value, RoundingMode rounding) const {
  APFloat largest = APFloat::getLargest(*semantics, value < 0);
  bool losesInfo;
  APFloat wide = largest;
  wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  if (std::abs(value) > std::abs(wide.convertToDouble()))
    return largest.bitcastToAPInt().getZExtValue();
  return encode(value, rounding);
}

} // namespace tilec::interpreter
