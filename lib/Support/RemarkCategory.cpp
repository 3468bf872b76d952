// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RemarkCategory.h.

#include "tilec/Support/RemarkCategory.h"

#include "llvm/ADT/STLExtras.h"

using namespace tilec;

static constexpr RemarkCategory kCategories[] = {
    {remarks::kMemoryCoalescing, RemarkPurpose::Performance,
     "global access narrower than 128 bits, or with more sectors than its bytes need"},
    {remarks::kArgumentAlignment, RemarkPurpose::Performance,
     "pointer argument that is not known to be aligned, which makes accesses narrow"},
    {remarks::kLayoutConversion, RemarkPurpose::Performance,
     "layout conversion through shared memory"},
    {remarks::kBankConflict, RemarkPurpose::Performance,
     "shared-memory access with bank conflicts"},
    {remarks::kGather, RemarkPurpose::Performance, "gather through shared memory"},
    {remarks::kScan, RemarkPurpose::Performance, "scan that converts the layout of its operand"},
    {remarks::kMemoryHint, RemarkPurpose::Performance,
     "cache or eviction hint that the instruction cannot carry"},
    {remarks::kSpill, RemarkPurpose::Performance, "registers that ptxas spills to local memory"},
    {remarks::kRegisterPressure, RemarkPurpose::Performance,
     "more live registers than a thread has, or so many that occupancy is low"},
    {remarks::kTensorMap, RemarkPurpose::Performance,
     "tensor descriptor, or load of a dot's operand through pointers, without TMA"},
    {remarks::kDot, RemarkPurpose::Performance,
     "dot that does not run on the target's fastest tensor-core instruction"},
    {remarks::kPipeline, RemarkPurpose::Performance,
     "load of a loop that is not pipelined, or a loop option that has no effect"},
    {remarks::kPersistent, RemarkPurpose::Performance,
     "kernel that was to be persistent and is not"},
    {remarks::kPadding, RemarkPurpose::Performance,
     "block whose extent is no power of two and is padded to one"},
    {remarks::kOffsetOverflow, RemarkPurpose::Correctness,
     "32-bit arithmetic in an address that can overflow"},
    {remarks::kMask, RemarkPurpose::Passed, "kernel versioned, or loop peeled, where masks hold"},
    {remarks::kUnroll, RemarkPurpose::Passed, "loop unrolled"},
};

llvm::ArrayRef<RemarkCategory> tilec::remarkCategories() { return kCategories; }

static RemarkPurpose purposeOf(llvm::StringRef category) {
  if (category.starts_with(remarks::kPassedPrefix))
    return RemarkPurpose::Passed;
  const auto *found = llvm::find_if(
      kCategories, [&](const RemarkCategory &entry) { return entry.name == category; });
  return found == std::end(kCategories) ? RemarkPurpose::Performance : found->purpose;
}

bool tilec::isPerformanceRemark(llvm::StringRef category) {
  return !category.empty() && purposeOf(category) == RemarkPurpose::Performance;
}

bool tilec::isRemarkSelected(llvm::StringRef category, llvm::ArrayRef<std::string> filter) {
  bool passed = purposeOf(category) == RemarkPurpose::Passed;
  if (filter.empty())
    return !passed;
  llvm::StringRef name = category;
  name.consume_front(remarks::kPassedPrefix);
  return llvm::any_of(filter, [&](llvm::StringRef entry) {
    return entry == "all" || (entry == "passed" && passed) ||
           (entry == "perf" && isPerformanceRemark(category)) || entry == name;
  });
}
