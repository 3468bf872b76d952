// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floats of arith and math: computed in double and rounded once to the type. For + - * / and the
// square root of types up to f32 that is the correctly rounded result, for the functions it is
// nearly always.

#include "Evaluator.h"

#include <cmath>

using namespace mlir;

namespace tilec::interpreter {
namespace {

FloatFormat formatOf(Operation *op) { return FloatFormat(elementOf(op->getOperand(0).getType())); }

using Unary = double (*)(double);
using Binary = double (*)(double, double);

template <Unary function> LogicalResult unary(Evaluator &e, Operation *op) {
  FloatFormat format = formatOf(op);
  return mapUnary(e, op, [&](uint64_t a) { return format.encode(function(format.decode(a))); });
}

template <Binary function> LogicalResult binary(Evaluator &e, Operation *op) {
  FloatFormat format = formatOf(op);
  return mapBinary(e, op, [&](uint64_t a, uint64_t b) {
    return format.encode(function(format.decode(a), format.decode(b)));
  });
}

double add(double a, double b) { return a + b; }
double sub(double a, double b) { return a - b; }
double mul(double a, double b) { return a * b; }
double div(double a, double b) { return a / b; }
double reciprocalRoot(double a) { return 1 / std::sqrt(a); }

/// -0 is less than +0, a NaN wins.
double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return a + b;
  return a == b ? (std::signbit(a) ? b : a) : std::max(a, b);
}
double minimum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return a + b;
  return a == b ? (std::signbit(a) ? a : b) : std::min(a, b);
}
/// The same, but a NaN loses.
double maxNumber(double a, double b) {
  return std::isnan(a) ? b : std::isnan(b) ? a : maximum(a, b);
}
double minNumber(double a, double b) {
  return std::isnan(a) ? b : std::isnan(b) ? a : minimum(a, b);
}

/// The sign bit changes, of NaN too.
LogicalResult runNegate(Evaluator &e, Operation *op) {
  uint64_t sign = uint64_t(1) << (formatOf(op).getWidth() - 1);
  return mapUnary(e, op, [&](uint64_t a) { return a ^ sign; });
}

LogicalResult runAbsF(Evaluator &e, Operation *op) {
  uint64_t sign = uint64_t(1) << (formatOf(op).getWidth() - 1);
  return mapUnary(e, op, [&](uint64_t a) { return a & ~sign; });
}

LogicalResult runCopySign(Evaluator &e, Operation *op) {
  uint64_t sign = uint64_t(1) << (formatOf(op).getWidth() - 1);
  return mapBinary(e, op, [&](uint64_t a, uint64_t b) { return (a & ~sign) | (b & sign); });
}

LogicalResult runFma(Evaluator &e, Operation *op) {
  FloatFormat format = formatOf(op);
  return mapTernary(e, op, [&](uint64_t a, uint64_t b, uint64_t c) {
    double x = format.decode(a), y = format.decode(b), z = format.decode(c);
    if (format.getWidth() == 32)
      return format.encode(double(std::fma(float(x), float(y), float(z))));
    return format.encode(std::fma(x, y, z));
  });
}

LogicalResult runPowerOfInteger(Evaluator &e, Operation *op) {
  FloatFormat format = formatOf(op);
  unsigned width = tile::bitWidthOf(elementOf(op->getOperand(1).getType()));
  return mapBinary(e, op, [&](uint64_t a, uint64_t b) {
    return format.encode(std::pow(format.decode(a), double(asSigned(b, width))));
  });
}

bool compare(arith::CmpFPredicate predicate, double a, double b) {
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case arith::CmpFPredicate::AlwaysFalse:
    return false;
  case arith::CmpFPredicate::OEQ:
    return a == b;
  case arith::CmpFPredicate::OGT:
    return a > b;
  case arith::CmpFPredicate::OGE:
    return a >= b;
  case arith::CmpFPredicate::OLT:
    return a < b;
  case arith::CmpFPredicate::OLE:
    return a <= b;
  case arith::CmpFPredicate::ONE:
    return !unordered && a != b;
  case arith::CmpFPredicate::ORD:
    return !unordered;
  case arith::CmpFPredicate::UEQ:
    return unordered || a == b;
  case arith::CmpFPredicate::UGT:
    return unordered || a > b;
  case arith::CmpFPredicate::UGE:
    return unordered || a >= b;
  case arith::CmpFPredicate::ULT:
    return unordered || a < b;
  case arith::CmpFPredicate::ULE:
    return unordered || a <= b;
  case arith::CmpFPredicate::UNE:
    return unordered || a != b;
  case arith::CmpFPredicate::UNO:
    return unordered;
  case arith::CmpFPredicate::AlwaysTrue:
    return true;
  }
  return false;
}

LogicalResult runCompareF(Evaluator &e, Operation *op) {
  FloatFormat format = formatOf(op);
  arith::CmpFPredicate predicate = cast<arith::CmpFOp>(op).getPredicate();
  return mapBinary(e, op, [&](uint64_t a, uint64_t b) -> uint64_t {
    return compare(predicate, format.decode(a), format.decode(b));
  });
}

void addMathOps(HandlerTable &table) {
  table.add<math::AcosOp>(unary<std::acos>);
  table.add<math::AcoshOp>(unary<std::acosh>);
  table.add<math::AsinOp>(unary<std::asin>);
  table.add<math::AsinhOp>(unary<std::asinh>);
  table.add<math::AtanOp>(unary<std::atan>);
  table.add<math::AtanhOp>(unary<std::atanh>);
  table.add<math::Atan2Op>(binary<std::atan2>);
  table.add<math::CbrtOp>(unary<std::cbrt>);
  table.add<math::CeilOp>(unary<std::ceil>);
  table.add<math::CosOp>(unary<std::cos>);
  table.add<math::CoshOp>(unary<std::cosh>);
  table.add<math::ErfOp>(unary<std::erf>);
  table.add<math::ErfcOp>(unary<std::erfc>);
  table.add<math::ExpOp>(unary<std::exp>);
  table.add<math::Exp2Op>(unary<std::exp2>);
  table.add<math::ExpM1Op>(unary<std::expm1>);
  table.add<math::FloorOp>(unary<std::floor>);
  table.add<math::LogOp>(unary<std::log>);
  table.add<math::Log10Op>(unary<std::log10>);
  table.add<math::Log1pOp>(unary<std::log1p>);
  table.add<math::Log2Op>(unary<std::log2>);
  table.add<math::PowFOp>(binary<std::pow>);
  table.add<math::RoundOp>(unary<std::round>);
  table.add<math::RoundEvenOp>(unary<std::nearbyint>);
  table.add<math::RsqrtOp>(unary<reciprocalRoot>);
  table.add<math::SinOp>(unary<std::sin>);
  table.add<math::SinhOp>(unary<std::sinh>);
  table.add<math::SqrtOp, tile::PreciseSqrtOp>(unary<std::sqrt>);
  table.add<math::TanOp>(unary<std::tan>);
  table.add<math::TanhOp>(unary<std::tanh>);
  table.add<math::TruncOp>(unary<std::trunc>);
  table.add<math::AbsFOp>(runAbsF);
  table.add<math::CopySignOp>(runCopySign);
  table.add<math::FmaOp>(runFma);
  table.add<math::FPowIOp>(runPowerOfInteger);
}

} // namespace

void addFloatOps(HandlerTable &table) {
  table.add<arith::AddFOp>(binary<add>);
  table.add<arith::SubFOp>(binary<sub>);
  table.add<arith::MulFOp>(binary<mul>);
  table.add<arith::DivFOp, tile::PreciseDivFOp>(binary<div>);
  table.add<arith::RemFOp>(binary<std::fmod>);
  table.add<arith::MaximumFOp>(binary<maximum>);
  table.add<arith::MinimumFOp>(binary<minimum>);
  table.add<arith::MaxNumFOp>(binary<maxNumber>);
  table.add<arith::MinNumFOp>(binary<minNumber>);
  table.add<arith::NegFOp>(runNegate);
  table.add<arith::CmpFOp>(runCompareF);
  addMathOps(table);
}

} // namespace tilec::interpreter
