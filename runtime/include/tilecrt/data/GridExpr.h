// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line's grid expressions: integer arithmetic over argument and constant names.
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
#include <string_view>
#include <vector>

namespace tilecrt {

/// The value of a name, or none if there is no such name.
using NameLookup = std::function<std::optional<int64_t>(std::string_view)>;

/// The value of one expression. Errors (invalidArgument) carry the column, counted from 1. Overflow
/// of 64 bits, nesting beyond 64 levels and texts over 4096 characters are errors.
Result<int64_t> evaluateExpression(std::string_view text, const NameLookup &lookup);

/// One to three expressions separated by commas; each must be 1 to 2^31 - 1. Devices limit the
/// second and third further, which the launch checks.
Result<std::vector<int64_t>> evaluateGrid(std::string_view text, const NameLookup &lookup);

} // namespace tilecrt

#endif // TILECRT_DATA_GRIDEXPR_H
