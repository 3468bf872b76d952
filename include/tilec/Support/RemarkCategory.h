// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The categories of remarks: what the compiler says about a kernel when it is asked to. One table
// names them for those who make remarks and for those who filter them.

#ifndef TILEC_SUPPORT_REMARKCATEGORY_H
#define TILEC_SUPPORT_REMARKCATEGORY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace tilec {

namespace remarks {
inline constexpr llvm::StringLiteral kMemoryCoalescing = "memory-coalescing";
inline constexpr llvm::StringLiteral kArgumentAlignment = "argument-alignment";
inline constexpr llvm::StringLiteral kLayoutConversion = "layout-conversion";
inline constexpr llvm::StringLiteral kBankConflict = "bank-conflict";
inline constexpr llvm::StringLiteral kGather = "gather";
inline constexpr llvm::StringLiteral kScan = "scan";
inline constexpr llvm::StringLiteral kMemoryHint = "memory";
inline constexpr llvm::StringLiteral kSpill = "spill";
inline constexpr llvm::StringLiteral kRegisterPressure = "register-pressure";
inline constexpr llvm::StringLiteral kOffsetOverflow = "offset-overflow";
inline constexpr llvm::StringLiteral kTensorMap = "tensor-map";
inline constexpr llvm::StringLiteral kDot = "dot";
inline constexpr llvm::StringLiteral kPipeline = "pipeline";
inline constexpr llvm::StringLiteral kPersistent = "persistent";
inline constexpr llvm::StringLiteral kPadding = "padding";
inline constexpr llvm::StringLiteral kMask = "mask";
inline constexpr llvm::StringLiteral kUnroll = "unroll";

/// In front of the category of a remark that says what was done: "passed:unroll".
inline constexpr llvm::StringLiteral kPassedPrefix = "passed:";
} // namespace remarks

enum class RemarkPurpose {
  /// What the kernel loses time with.
  Performance,
  /// What may make the kernel wrong for some inputs.
  Correctness,
  /// What was done to make it faster.
  Passed
};

struct RemarkCategory {
  llvm::StringLiteral name;
  RemarkPurpose purpose;
  llvm::StringLiteral meaning;
};

/// All categories, in the order in which they are listed to people.
llvm::ArrayRef<RemarkCategory> remarkCategories();

/// Whether a remark costs performance, as `-Werror=perf` understands it. `category` is that of a
/// diagnostic, with its prefix; one that is not in the table counts, an empty one does not.
bool isPerformanceRemark(llvm::StringRef category);

/// Whether a filter for categories lets a remark of `category` through. Each entry is "perf",
/// "all", "passed" or the name of a category. Without entries everything passes but what was done.
bool isRemarkSelected(llvm::StringRef category, llvm::ArrayRef<std::string> filter);

} // namespace tilec

#endif // TILEC_SUPPORT_REMARKCATEGORY_H
