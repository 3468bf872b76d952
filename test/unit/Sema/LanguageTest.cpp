// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of the language: how its lines are read, and what holds of all rows.

#include "tilec/Sema/Language.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace tilec {
namespace {

TEST(LanguageTest, signaturesAndPlaces) {
  const LanguageFunction *store = findLanguageFunction("store", inLanguage);
  ASSERT_TRUE(store);
  EXPECT_EQ(store->places, unsigned(inLanguage | asMethod));
  EXPECT_EQ(store->getSignature(false),
            "store(pointer, value, mask=..., boundary_check=..., cache_modifier=..., "
            "eviction_policy=...)");
  EXPECT_EQ(store->getDisplayName(), "tl.store");
  EXPECT_EQ(findLanguageFunction("store", asDescriptorMethod)->getSignature(true),
            "store(offsets, value)");
  EXPECT_EQ(findLanguageFunction("range", inLanguage)->getSignature(false),
            "range(arg1, arg2=..., step=..., *, num_stages=..., loop_unroll_factor=..., "
            "disallow_acc_multi_buffer=..., flatten=..., warp_specialize=..., disable_licm=...)");
  EXPECT_EQ(findLanguageFunction("static_print", inLanguage)->getSignature(false),
            "static_print(*values, sep=..., end=..., file=..., flush=...)");
  EXPECT_EQ(findLanguageFunction("partial", inFunctools)->getSignature(false),
            "partial(func, *args, **keywords)");
  EXPECT_EQ(findLanguageFunction("chain.from_iterable", inItertools)->getDisplayName(),
            "itertools.chain.from_iterable");
  EXPECT_FALSE(findLanguageFunction("store", inMath));
  EXPECT_FALSE(findLanguageFunction("stor", ~0u));
}

TEST(LanguageTest, rolesAndKindsOfParameters) {
  const LanguageFunction *load = findLanguageFunction("load", inLanguage);
  EXPECT_EQ(load->findParam("pointer")->role, ParamRole::Pointer);
  EXPECT_EQ(load->findParam("mask")->role, ParamRole::Mask);
  EXPECT_EQ(load->findParam("other")->role, ParamRole::Other);
  EXPECT_FALSE(load->findParam("shape"));
  const LanguageFunction *reshape = findLanguageFunction("reshape", asMethod);
  EXPECT_EQ(reshape->findParam("shape")->role, ParamRole::Extent);
  EXPECT_TRUE(reshape->findParam("shape")->variadic);
  EXPECT_TRUE(reshape->findParam("can_reorder")->keywordOnly);
  const LanguageFunction *descriptor = findLanguageFunction("make_tensor_descriptor", inLanguage);
  EXPECT_EQ(descriptor->findParam("strides")->role, ParamRole::Index);
  EXPECT_EQ(findLanguageFunction("dot", inLanguage)->findParam("out_dtype")->role, ParamRole::Type);
  EXPECT_EQ(findLanguageFunction("exp", inMath)->findParam("x")->role, ParamRole::Real);
}

TEST(LanguageTest, bracesAreWrittenOut) {
  EXPECT_EQ(findLanguageFunction("float2uint_rd", inLibdevice)->sentence,
            "fp32 as uint32, rounded down.");
  EXPECT_EQ(findLanguageFunction("add_rz", inLibdevice)->sentence,
            "The sum, rounded towards zero.");
  EXPECT_TRUE(findLanguageFunction("is_fp8e4b15", asTypeMethod));
}

// Every row has a place and one line of text, and no name stands twice in a place.
TEST(LanguageTest, rowsAreComplete) {
  std::set<std::pair<unsigned, llvm::StringRef>> names;
  for (const LanguageFunction &row : getLanguage()) {
    SCOPED_TRACE(row.getDisplayName());
    EXPECT_NE(row.places, 0u);
    EXPECT_TRUE(llvm::StringRef(row.sentence).ends_with("."));
    for (unsigned place = 1; place <= unsigned(asSetMethod); place <<= 1)
      if (row.places & place)
        EXPECT_TRUE(names.insert({place, row.name}).second);
  }
  EXPECT_GT(names.size(), 500u);
}

} // namespace
} // namespace tilec
