// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Suggestions for mistyped names: near ones are found, far ones are not offered.

#include "tilec/Support/NearestName.h"

#include <gtest/gtest.h>

#include <string>

using namespace tilec;

static const llvm::StringRef names[] = {"load", "store", "arange", "program_id", "num_warps", "x"};

TEST(NearestName, one_letter_wrong) { EXPECT_EQ(nearestName("stone", names), "store"); }
TEST(NearestName, letters_swapped) { EXPECT_EQ(nearestName("laod", names), "load"); }
TEST(NearestName, letter_missing) { EXPECT_EQ(nearestName("progam_id", names), "program_id"); }
TEST(NearestName, case_alone_is_near) { EXPECT_EQ(nearestName("NUM_WARPS", names), "num_warps"); }
TEST(NearestName, no_suggestion_when_far) { EXPECT_EQ(nearestName("softmax", names), ""); }
TEST(NearestName, no_suggestion_of_itself) { EXPECT_EQ(nearestName("load", names), ""); }
TEST(NearestName, empty_name) { EXPECT_EQ(nearestName("", names), ""); }
TEST(NearestName, no_candidates) { EXPECT_EQ(nearestName("load", {}), ""); }

TEST(NearestName, first_of_equals_wins) {
  EXPECT_EQ(nearestName("mat", {"max", "map"}), "max");
  EXPECT_EQ(nearestName("mat", {"map", "max"}), "map");
}

TEST(NearestName, very_long_names_are_not_compared) {
  std::string name(100000, 'a');
  EXPECT_EQ(nearestName(name, {name, "a"}), "");
}
