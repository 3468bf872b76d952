// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Grid expressions, as the command line, bundles and saved launches have them: integer arithmetic
// over argument and constant names. They are read into steps in postfix order, which are evaluated
// here or written as C (tilec/Bundle).
//
//   sum    := term (('+' | '-') term)*
//   term   := factor (('*' | '/' | '//' | '%') factor)*
//   factor := ('+' | '-') factor | integer | name | call | '(' sum ')'
//   call   := ('cdiv' | 'min' | 'max' | 'next_power_of_2') '(' sum (',' sum)* ')'
//
// A call may be written with 'triton.' or 'tl.' before it. '//' and '%' round down as in Python;
// '/' is accepted when the division leaves no rest.

#ifndef TILECRT_DATA_GRIDEXPR_H
#define TILECRT_DATA_GRIDEXPR_H

#include "tilecrt/Result.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilecrt {

/// One step of an expression in postfix order: a value, or an operation on the last one or two.
struct ExprStep {
  enum class Kind : uint8_t {
    number,
    name,
    add,
    subtract,
    multiply,
    floorDivide,
    /// Rounds towards zero; grids do not have it, sizes of tensor maps do.
    truncatingDivide,
    /// A rest is an error.
    exactDivide,
    modulo,
    ceilDivide,
    min,
    max,
    nextPowerOf2,
  };
  Kind kind = Kind::number;
  int64_t number = 0;
  std::string name;
  /// Where it stands in the text, counted from 1.
  size_t column = 0;
};

/// The steps of one expression; they leave one value.
using Expression = std::vector<ExprStep>;

/// Expressions separated by commas, at most `limit` of them. Errors (invalidArgument) carry the
/// column, counted from 1. Nesting beyond 64 levels and texts over 4096 characters are errors.
Result<std::vector<Expression>> parseExpressions(std::string_view text, size_t limit);

/// The value of a name, or none if there is no such name.
using NameLookup = std::function<std::optional<int64_t>(std::string_view)>;

/// The value of an expression that parseExpressions read. Errors carry the column; a value that
/// does not fit 64 bits is one.
Result<int64_t> evaluate(const Expression &expression, const NameLookup &lookup);

/// Reads and evaluates one expression.
Result<int64_t> evaluateExpression(std::string_view text, const NameLookup &lookup);

/// The text of one to three expressions with numbers in the place of the names that `lookup` knows.
Result<std::string> replaceNames(std::string_view text, const NameLookup &lookup);

/// One to three expressions; each must be 1 to 2^31 - 1. Devices limit the second and third
/// further, which the launch checks.
Result<std::vector<int64_t>> evaluateGrid(std::string_view text, const NameLookup &lookup);

} // namespace tilecrt

#endif // TILECRT_DATA_GRIDEXPR_H
