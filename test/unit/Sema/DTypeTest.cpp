// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names and spellings of types, and signature notation.

#include "tilec/Sema/DType.h"
#include "tilec/Sema/Signature.h"

#include <gtest/gtest.h>

namespace tilec {
namespace {

TEST(DTypeTest, predicates) {
  EXPECT_TRUE(DType(ScalarKind::Int1).isInt());
  EXPECT_TRUE(DType(ScalarKind::Int1).isUnsignedInt());
  EXPECT_TRUE(DType(ScalarKind::Int8).isSignedInt());
  EXPECT_TRUE(DType(ScalarKind::FP8E5).isFP8());
  EXPECT_TRUE(DType(ScalarKind::BF16).isFloat());
  DType pointer = DType::pointerTo(ScalarKind::FP32, true);
  EXPECT_FALSE(pointer.isFloat());
  EXPECT_TRUE(pointer.isConstPointer());
  EXPECT_EQ(pointer.getBitWidth(), 64u);
  EXPECT_EQ(pointer.getElement(), DType(ScalarKind::FP32));
}

TEST(DTypeTest, everySignatureReadsBack) {
  for (llvm::StringRef name : getSignatureTypeNames())
    for (std::string prefix : {"", "*", "*k"}) {
      std::string text = prefix + name.str();
      std::optional<DType> type = parseSignatureType(text);
      ASSERT_TRUE(type) << text;
      EXPECT_EQ(type->getSignatureText(), text);
    }
  for (llvm::StringRef name : getLanguageTypeNames())
    EXPECT_TRUE(findLanguageType(name)) << name.str();
}

TEST(DTypeTest, signatures) {
  auto parse = [](llvm::StringRef text) { return std::get<SignatureType>(parseSignature(text)); };
  EXPECT_EQ(parse("*fp32:16").divisibility, 16u);
  EXPECT_EQ(parse("i32").divisibility, 1u);
  EXPECT_TRUE(parse("constexpr").isConstexpr);
  EXPECT_EQ(parse("*kfp16").type, DType::pointerTo(ScalarKind::FP16, true));
  EXPECT_FALSE(parse("*kfp16").descriptor);
  SignatureType descriptor = parse(" tensordesc<bf16[128, 64]>:16");
  EXPECT_EQ(descriptor.type, DType::pointerTo(ScalarKind::BF16));
  EXPECT_EQ(descriptor.divisibility, 16u);
  ASSERT_TRUE(descriptor.descriptor);
  EXPECT_EQ(descriptor.descriptor->shape, (llvm::SmallVector<int64_t>{128, 64}));
  EXPECT_FALSE(descriptor.descriptor->padsWithNan);
  EXPECT_TRUE(parse("tensordesc<fp32[8], nan>").descriptor->padsWithNan);
}

TEST(DTypeTest, negative_signatures) {
  auto fail = [](llvm::StringRef text) { return std::get<std::string>(parseSignature(text)); };
  EXPECT_EQ(fail("fp31"), "unknown type 'fp31'; did you mean 'fp32'?");
  EXPECT_EQ(fail("*i31"), "unknown type '*i31'; did you mean '*i32'?");
  EXPECT_EQ(fail(""), "unknown type ''");
  const std::string expected = "expected a tensor descriptor as in 'tensordesc<fp16[128, 64]>', ";
  for (const char *text : {"tensordesc<fp16>", "tensordesc<fp16[]>", "tensordesc<fp16[64>",
                           "tensordesc<fp16[a]>", "tensordesc<fp16[64], 3>", "tensordesc<>"})
    EXPECT_EQ(fail(text), expected + "got '" + text + "'");
  EXPECT_EQ(fail("tensordesc<*i8[64]>"), "a tensor descriptor cannot have elements of type '*i8'");
  EXPECT_EQ(fail("i32:0"), "divisibility '0' is not a power of two");
  EXPECT_EQ(fail("i32:"), "divisibility '' is not a power of two");
  EXPECT_EQ(fail("fp32:4"), "divisibility is for pointers and integers, not for 'fp32'");
}

} // namespace
} // namespace tilec
