// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which remarks a filter lets through, and which count as lost performance.

#include "tilec/Support/RemarkCategory.h"

#include "gtest/gtest.h"

#include <set>

using namespace tilec;

TEST(RemarkCategory, WithoutFilterEverythingButWhatWasDone) {
  EXPECT_TRUE(isRemarkSelected("spill", {}));
  EXPECT_TRUE(isRemarkSelected("offset-overflow", {}));
  EXPECT_TRUE(isRemarkSelected("", {}));
  EXPECT_TRUE(isRemarkSelected("of-tomorrow", {}));
  EXPECT_FALSE(isRemarkSelected("passed:unroll", {}));
  EXPECT_FALSE(isRemarkSelected("passed:of-tomorrow", {}));
}

TEST(RemarkCategory, FiltersNameCategoriesOrGroups) {
  EXPECT_TRUE(isRemarkSelected("spill", {"gather", "spill"}));
  EXPECT_FALSE(isRemarkSelected("scan", {"gather", "spill"}));
  EXPECT_FALSE(isRemarkSelected("", {"spill"}));
  EXPECT_TRUE(isRemarkSelected("passed:unroll", {"unroll"}));
  EXPECT_TRUE(isRemarkSelected("passed:unroll", {"passed"}));
  EXPECT_FALSE(isRemarkSelected("spill", {"passed"}));
  EXPECT_TRUE(isRemarkSelected("spill", {"perf"}));
  EXPECT_FALSE(isRemarkSelected("offset-overflow", {"perf"}));
  EXPECT_FALSE(isRemarkSelected("passed:mask", {"perf"}));
  EXPECT_TRUE(isRemarkSelected("passed:mask", {"all"}));
}

TEST(RemarkCategory, PerformanceIsWhatCostsTime) {
  EXPECT_TRUE(isPerformanceRemark("memory-coalescing"));
  EXPECT_TRUE(isPerformanceRemark("of-tomorrow"));
  EXPECT_FALSE(isPerformanceRemark("offset-overflow"));
  EXPECT_FALSE(isPerformanceRemark("passed:unroll"));
  EXPECT_FALSE(isPerformanceRemark(""));
}

TEST(RemarkCategory, NamesAreUnique) {
  std::set<llvm::StringRef> names;
  for (const RemarkCategory &category : remarkCategories()) {
    EXPECT_TRUE(names.insert(category.name).second) << category.name.str();
    EXPECT_FALSE(category.meaning.empty());
  }
}
