// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Python's operators on compile-time values: integers first, then floats as soon as one operand
// is a float, then what strings support.

#include "tilec/Sema/Constant.h"

#include <cmath>

namespace tilec {
namespace {

using ast::BinaryOp;
using ast::CompareOp;

FoldResult fromOptional(const std::optional<PyInt> &number) {
  if (number)
    return Constant(*number);
  return FoldResult::failure("compile-time integer is larger than " +
                             std::to_string(PyInt::bitLimit) + " bits");
}

FoldResult unsupported(BinaryOp op, const Constant &lhs, const Constant &rhs) {
  return FoldResult::failure("operator '" + ast::getSpelling(op).str() + "' is not defined for '" +
                             lhs.getTypeName().str() + "' and '" + rhs.getTypeName().str() + "'");
}

FoldResult foldInts(BinaryOp op, const Constant &left, const Constant &right) {
  PyInt lhs = left.toInt(), rhs = right.toInt();
  bool divides = op == BinaryOp::Div || op == BinaryOp::FloorDiv || op == BinaryOp::Mod;
  if (divides && rhs.isZero())
    return FoldResult::failure("division by zero");
  if ((op == BinaryOp::LShift || op == BinaryOp::RShift) && rhs.isNegative())
    return FoldResult::failure("negative shift count");
  // `&`, `|` and `^` of two bools are bools.
  bool bools = left.isBool() && right.isBool();
  auto bitwise = [&](PyInt result) {
    return bools ? Constant(!result.isZero()) : Constant(result);
  };
  switch (op) {
  case BinaryOp::Add:
    return fromOptional(lhs.add(rhs));
  case BinaryOp::Sub:
    return fromOptional(lhs.sub(rhs));
  case BinaryOp::Mul:
    return fromOptional(lhs.mul(rhs));
  case BinaryOp::Div:
    return Constant(lhs.toDouble() / rhs.toDouble());
  case BinaryOp::FloorDiv:
    return Constant(lhs.floorDiv(rhs));
  case BinaryOp::Mod:
    return Constant(lhs.mod(rhs));
  case BinaryOp::Pow:
    if (rhs.isNegative()) {
      if (lhs.isZero())
        return FoldResult::failure("division by zero");
      return Constant(std::pow(lhs.toDouble(), rhs.toDouble()));
    }
    return fromOptional(lhs.pow(rhs));
  case BinaryOp::LShift:
    return fromOptional(lhs.shl(rhs));
  case BinaryOp::RShift:
    return Constant(lhs.shr(rhs));
  case BinaryOp::BitAnd:
    return bitwise(lhs.bitAnd(rhs));
  case BinaryOp::BitOr:
    return bitwise(lhs.bitOr(rhs));
  case BinaryOp::BitXor:
    return bitwise(lhs.bitXor(rhs));
  case BinaryOp::MatMul:
    break;
  }
  return unsupported(op, left, right);
}

FoldResult foldFloats(BinaryOp op, const Constant &left, const Constant &right) {
  double lhs = left.toDouble(), rhs = right.toDouble();
  bool divides = op == BinaryOp::Div || op == BinaryOp::FloorDiv || op == BinaryOp::Mod;
  if (divides && rhs == 0.0)
    return FoldResult::failure("division by zero");
  switch (op) {
  case BinaryOp::Add:
    return Constant(lhs + rhs);
  case BinaryOp::Sub:
    return Constant(lhs - rhs);
  case BinaryOp::Mul:
    return Constant(lhs * rhs);
  case BinaryOp::Div:
    return Constant(lhs / rhs);
  case BinaryOp::FloorDiv:
    return Constant(std::floor(lhs / rhs));
  case BinaryOp::Mod: {
    double remainder = std::fmod(lhs, rhs);
    if (remainder != 0.0 && std::signbit(remainder) != std::signbit(rhs))
      remainder += rhs;
    return Constant(remainder);
  }
  case BinaryOp::Pow:
    return Constant(std::pow(lhs, rhs));
  default:
    return unsupported(op, left, right);
  }
}

FoldResult repeat(const std::string &text, PyInt count) {
  if (count.isNegative() || text.empty())
    return Constant(std::string());
  int64_t times = count.toInt64Saturated();
  if (times > static_cast<int64_t>(65536 / text.size()))
    return FoldResult::failure("compile-time string is longer than 65536 bytes");
  std::string result;
  for (int64_t i = 0; i < times; ++i)
    result += text;
  return Constant(result);
}

bool compareEqual(const Constant &lhs, const Constant &rhs) {
  if (lhs.isNumber() && rhs.isNumber()) {
    if (lhs.isFloat() || rhs.isFloat())
      return lhs.toDouble() == rhs.toDouble();
    return lhs.toInt() == rhs.toInt();
  }
  return lhs.isIdentical(rhs);
}

template <typename T> bool applyOrder(CompareOp op, const T &order) {
  switch (op) {
  case CompareOp::Lt:
    return order < 0;
  case CompareOp::LtE:
    return order <= 0;
  case CompareOp::Gt:
    return order > 0;
  default:
    return order >= 0;
  }
}

} // namespace

FoldResult foldBinary(BinaryOp op, const Constant &lhs, const Constant &rhs) {
  if (lhs.isNumber() && rhs.isNumber())
    return lhs.isFloat() || rhs.isFloat() ? foldFloats(op, lhs, rhs) : foldInts(op, lhs, rhs);
  if (lhs.isString() && rhs.isString() && op == BinaryOp::Add) {
    if (lhs.getString().size() + rhs.getString().size() > 65536)
      return FoldResult::failure("compile-time string is longer than 65536 bytes");
    return Constant(lhs.getString() + rhs.getString());
  }
  if (op == BinaryOp::Mul) {
    if (lhs.isString() && (rhs.isInt() || rhs.isBool()))
      return repeat(lhs.getString(), rhs.toInt());
    if (rhs.isString() && (lhs.isInt() || lhs.isBool()))
      return repeat(rhs.getString(), lhs.toInt());
  }
  return unsupported(op, lhs, rhs);
}

FoldResult foldUnary(ast::UnaryOp op, const Constant &operand) {
  if (op == ast::UnaryOp::Not)
    return Constant(!operand.isTrue());
  if (operand.isFloat() && op != ast::UnaryOp::Invert)
    return Constant(op == ast::UnaryOp::Minus ? -operand.getFloat() : operand.getFloat());
  if (operand.isInt() || operand.isBool()) {
    PyInt number = operand.toInt();
    if (op == ast::UnaryOp::Plus)
      return Constant(number);
    return Constant(op == ast::UnaryOp::Minus ? number.negate() : number.invert());
  }
  return FoldResult::failure("unary '" + ast::getSpelling(op).str() + "' is not defined for '" +
                             operand.getTypeName().str() + "'");
}

FoldResult foldCompare(CompareOp op, const Constant &lhs, const Constant &rhs) {
  switch (op) {
  case CompareOp::Eq:
    return Constant(compareEqual(lhs, rhs));
  case CompareOp::NotEq:
    return Constant(!compareEqual(lhs, rhs));
  case CompareOp::Is:
    return Constant(lhs.isIdentical(rhs));
  case CompareOp::IsNot:
    return Constant(!lhs.isIdentical(rhs));
  case CompareOp::Lt:
  case CompareOp::LtE:
  case CompareOp::Gt:
  case CompareOp::GtE:
    break;
  case CompareOp::In:
  case CompareOp::NotIn: {
    if (!lhs.isString() || !rhs.isString())
      break;
    bool found = rhs.getString().find(lhs.getString()) != std::string::npos;
    return Constant(found == (op == CompareOp::In));
  }
  }
  if (lhs.isNumber() && rhs.isNumber()) {
    if (!lhs.isFloat() && !rhs.isFloat())
      return Constant(applyOrder(op, lhs.toInt().compare(rhs.toInt())));
    double a = lhs.toDouble(), b = rhs.toDouble();
    if (std::isnan(a) || std::isnan(b))
      return Constant(false);
    return Constant(applyOrder(op, a < b ? -1 : a > b ? 1 : 0));
  }
  if (lhs.isString() && rhs.isString() && op != CompareOp::In && op != CompareOp::NotIn)
    return Constant(applyOrder(op, lhs.getString().compare(rhs.getString())));
  return FoldResult::failure("comparison '" + ast::getSpelling(op).str() +
                             "' is not defined for '" + lhs.getTypeName().str() + "' and '" +
                             rhs.getTypeName().str() + "'");
}

} // namespace tilec
