// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warnings have names, by which they are switched on and off and made errors, as in clang. One
// table lists them for those who report them, for the command line and for the documentation.

#ifndef TILEC_SUPPORT_WARNINGOPTIONS_H
#define TILEC_SUPPORT_WARNINGOPTIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace tilec {

namespace warnings {
inline constexpr llvm::StringLiteral kUnusedVariable = "unused-variable";
inline constexpr llvm::StringLiteral kUnusedArgument = "unused-argument";
inline constexpr llvm::StringLiteral kUnusedValue = "unused-value";
inline constexpr llvm::StringLiteral kMaskShape = "mask-shape";
inline constexpr llvm::StringLiteral kMissingMask = "missing-mask";
inline constexpr llvm::StringLiteral kStoreTruncation = "store-truncation";
inline constexpr llvm::StringLiteral kFloatNarrowing = "float-narrowing";
inline constexpr llvm::StringLiteral kNegativeDivision = "negative-division";
inline constexpr llvm::StringLiteral kWhereCondition = "where-condition";
inline constexpr llvm::StringLiteral kTautologicalCompare = "tautological-compare";
inline constexpr llvm::StringLiteral kOffsetOverflow = "offset-overflow";
inline constexpr llvm::StringLiteral kUnboundedOffset = "unbounded-offset";
inline constexpr llvm::StringLiteral kMissingModule = "missing-module";
inline constexpr llvm::StringLiteral kAutotune = "autotune";
inline constexpr llvm::StringLiteral kMissingReturn = "missing-return";
inline constexpr llvm::StringLiteral kRuntimeConstexpr = "runtime-constexpr";
inline constexpr llvm::StringLiteral kFalseAssert = "false-assert";
} // namespace warnings

struct WarningName {
  llvm::StringLiteral name;
  /// Whether it is given unless switched off.
  bool isDefault;
  llvm::StringLiteral meaning;
};

/// All names, in the order in which they are listed to people.
llvm::ArrayRef<WarningName> warningNames();
const WarningName *findWarning(llvm::StringRef name);

/// Which warnings are given, and which of them are errors. The last option about a warning counts.
class WarningOptions {
public:
  enum class Level { Ignored, Warning, Error };

  /// Applies what stands behind '-W': "NAME", "no-NAME", "error", "no-error", "error=NAME",
  /// "no-error=NAME", and "all" or "everything" as a NAME. Returns what is wrong with it, if
  /// anything is.
  std::optional<std::string> apply(llvm::StringRef text);

  Level getLevel(llvm::StringRef name) const;

  /// The options that were applied, in order.
  const std::vector<std::string> &getTexts() const { return texts; }

private:
  std::vector<std::string> texts;
};

} // namespace tilec

#endif // TILEC_SUPPORT_WARNINGOPTIONS_H
