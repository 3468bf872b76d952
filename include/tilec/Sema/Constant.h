// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar compile-time values and Python's arithmetic on them.

#ifndef TILEC_SEMA_CONSTANT_H
#define TILEC_SEMA_CONSTANT_H

#include "tilec/Sema/DType.h"
#include "tilec/Sema/PyInt.h"
#include "tilec/Syntax/Expr.h"

#include <string>
#include <variant>

namespace tilec {

/// None, a bool, an int, a float, a string or a dtype.
class Constant {
public:
  struct None {};

  Constant() : value(None{}) {}
  Constant(bool truth) : value(truth) {}
  Constant(PyInt number) : value(std::move(number)) {}
  Constant(double number) : value(number) {}
  Constant(std::string text) : value(std::move(text)) {}
  Constant(DType type) : value(type) {}
  /// Convenience for C++ integers; a pointer must not turn into a bool silently.
  static Constant integer(int64_t number) { return Constant(PyInt(number)); }
  Constant(const char *) = delete;

  bool isNone() const { return std::holds_alternative<None>(value); }
  bool isBool() const { return std::holds_alternative<bool>(value); }
  bool isInt() const { return std::holds_alternative<PyInt>(value); }
  bool isFloat() const { return std::holds_alternative<double>(value); }
  bool isString() const { return std::holds_alternative<std::string>(value); }
  bool isDType() const { return std::holds_alternative<DType>(value); }
  /// bool, int or float.
  bool isNumber() const { return isBool() || isInt() || isFloat(); }

  bool getBool() const { return std::get<bool>(value); }
  double getFloat() const { return std::get<double>(value); }
  const std::string &getString() const { return std::get<std::string>(value); }
  DType getDType() const { return std::get<DType>(value); }

  /// A bool or int as an int. Only for those.
  PyInt toInt() const { return isBool() ? PyInt(getBool()) : std::get<PyInt>(value); }
  /// A number as a double. Only for numbers.
  double toDouble() const { return isFloat() ? getFloat() : toInt().toDouble(); }
  /// Python's truth value.
  bool isTrue() const;

  /// Python's type name: "int", "NoneType", "dtype", ...
  llvm::StringRef getTypeName() const;
  /// `str()` and `repr()` of the value, and `ascii()`, which escapes all that is not ASCII.
  std::string str() const;
  std::string repr() const;
  std::string ascii() const;

  /// Same kind and same value (so that 1, 1.0 and True differ); NaN equals itself.
  bool isIdentical(const Constant &other) const;

private:
  std::variant<None, bool, PyInt, double, std::string, DType> value;
};

/// Result of a compile-time operation: a value, or why there is none.
struct FoldResult {
  std::optional<Constant> value;
  std::string error;

  FoldResult(Constant constant) : value(std::move(constant)) {}
  static FoldResult failure(std::string why) {
    FoldResult result{Constant()};
    result.value.reset();
    result.error = std::move(why);
    return result;
  }
};

/// Python's arithmetic. Errors are worded for users ("division by zero", ...).
FoldResult foldBinary(ast::BinaryOp op, const Constant &lhs, const Constant &rhs);
FoldResult foldUnary(ast::UnaryOp op, const Constant &operand);
/// Every comparison but `in` and `not in`. `is` compares identity as far as values show it.
FoldResult foldCompare(ast::CompareOp op, const Constant &lhs, const Constant &rhs);

/// `int(x)` and `float(x)`.
FoldResult foldToInt(const Constant &operand);
FoldResult foldToFloat(const Constant &operand);

/// The shortest decimal text that reads back as the number, in Python's spelling.
std::string formatFloat(double number);

/// `format(value, spec)` for the usual specs (width, alignment, sign, precision, d x X o b e f g
/// %).
FoldResult formatConstant(const Constant &value, llvm::StringRef spec);

} // namespace tilec

#endif // TILEC_SEMA_CONSTANT_H
