// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Result types of operators and casts, checked by static assertions inside the kernels.

#include "IRGenFixture.h"

namespace tilec::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Compiles `static_assert(<expression>.dtype == tl.<type>)` over one variable of each type.
std::vector<std::string> checkType(const std::string &expression, const std::string &type) {
  CompileOptions options;
  std::string params;
  for (std::string name : {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "u1", "fp16",
                           "bf16", "fp32", "fp64", "fp8e5", "fp8e4nv"}) {
    params += (params.empty() ? "" : ", ") + name;
    options.arguments.push_back(name + "=" + name);
  }
  return compile("@triton.jit\ndef k(" + params + "):\n    r = " + expression +
                     "\n    tl.static_assert(r.dtype == tl." + type + ", r.dtype)\n",
                 options)
      .diagnostics;
}

TEST(PromotionTest, floats) {
  EXPECT_THAT(checkType("fp64 + fp16", "float64"), IsEmpty());
  EXPECT_THAT(checkType("fp32 + fp16", "float32"), IsEmpty());
  EXPECT_THAT(checkType("fp16 + bf16", "float16"), IsEmpty());
  EXPECT_THAT(checkType("bf16 + bf16", "bfloat16"), IsEmpty());
  EXPECT_THAT(checkType("bf16 + i32", "float32"), IsEmpty());
  EXPECT_THAT(checkType("fp16 + i64", "float16"), IsEmpty());
  EXPECT_THAT(checkType("fp8e5 + fp8e5", "float8e5"), IsEmpty());
  EXPECT_THAT(checkType("fp8e5 + fp8e4nv", "float16"), IsEmpty());
}

TEST(PromotionTest, divisionOfSmallFloatsIsInFp32) {
  EXPECT_THAT(checkType("fp16 / fp16", "float32"), IsEmpty());
  EXPECT_THAT(checkType("bf16 / 2", "float32"), IsEmpty());
  EXPECT_THAT(checkType("fp16 % fp16", "float32"), IsEmpty());
  EXPECT_THAT(checkType("i32 / i32", "float32"), IsEmpty());
  EXPECT_THAT(checkType("i8 / 2", "float32"), IsEmpty());
  EXPECT_THAT(checkType("fp64 / i32", "float64"), IsEmpty());
}

TEST(PromotionTest, integers) {
  EXPECT_THAT(checkType("i8 + i32", "int32"), IsEmpty());
  EXPECT_THAT(checkType("u8 + i8", "uint8"), IsEmpty());
  EXPECT_THAT(checkType("u8 + i16", "int16"), IsEmpty());
  EXPECT_THAT(checkType("u32 + i32", "uint32"), IsEmpty());
  EXPECT_THAT(checkType("u1 + i8", "int8"), IsEmpty());
  EXPECT_THAT(checkType("u1 + u1", "int1"), IsEmpty());
  EXPECT_THAT(checkType("i16 // i8", "int16"), IsEmpty());
  EXPECT_THAT(checkType("u32 >> 3", "uint32"), IsEmpty());
}

TEST(PromotionTest, numbersTakeTheOtherType) {
  EXPECT_THAT(checkType("i8 + 1", "int8"), IsEmpty());
  EXPECT_THAT(checkType("fp16 + 1.5", "float16"), IsEmpty());
  EXPECT_THAT(checkType("fp16 + 1", "float16"), IsEmpty());
  EXPECT_THAT(checkType("i32 + 1.0", "float32"), IsEmpty());
  EXPECT_THAT(checkType("u1 + 1", "int32"), IsEmpty());
  EXPECT_THAT(checkType("bf16 * 2.0", "bfloat16"), IsEmpty());
  EXPECT_THAT(checkType("tl.where(u1, fp16, 0.0)", "float16"), IsEmpty());
}

TEST(PromotionTest, maximumAndComparisonsUseTheTypeOfTheLiteral) {
  EXPECT_THAT(checkType("tl.maximum(fp16, 1.0)", "float32"), IsEmpty());
  EXPECT_THAT(checkType("tl.maximum(bf16, bf16)", "float32"), IsEmpty());
  EXPECT_THAT(checkType("tl.minimum(i8, 3)", "int32"), IsEmpty());
  EXPECT_THAT(checkType("fp16 < 1.0", "int1"), IsEmpty());
}

TEST(PromotionTest, assignedNumbersDecay) {
  EXPECT_THAT(checkType("5", "int32"), IsEmpty());
  EXPECT_THAT(checkType("3000000000", "uint32"), IsEmpty());
  EXPECT_THAT(checkType("-3000000000", "int64"), IsEmpty());
  EXPECT_THAT(checkType("10000000000000000000", "uint64"), IsEmpty());
  EXPECT_THAT(checkType("True", "int1"), IsEmpty());
  EXPECT_THAT(checkType("1.5", "float32"), IsEmpty());
  EXPECT_THAT(checkType("1e300", "float64"), IsEmpty());
  EXPECT_THAT(checkType("1e-40", "float64"), IsEmpty());
  EXPECT_THAT(checkType("float('inf')", "float32"), IsEmpty());
}

TEST(PromotionTest, negative_mixedSignednessUnderDivision) {
  EXPECT_THAT(checkType("u32 // i32", "uint32"),
              ElementsAre("error 3:9: division and remainder of uint32 and int32 are ambiguous "
                          "because their signedness differs; cast one of them"));
}

TEST(PromotionTest, negative_constantsOutOfRange) {
  EXPECT_THAT(checkType("i8 + 300", "int8"),
              ElementsAre("error 3:9: constant 300 is out of range for int8"));
  EXPECT_THAT(checkType("u32 + -1", "uint32"),
              ElementsAre("error 3:9: negative constant -1 cannot be of unsigned type uint32"));
}

TEST(PromotionTest, negative_integerOperatorsOnFloats) {
  EXPECT_THAT(checkType("fp32 // fp32", "float32"),
              ElementsAre("error 3:9: operator '//' needs integers, got fp32 and fp32; use "
                          "tl.floor(a / b) for floats"));
  EXPECT_THAT(checkType("fp32 & 1", "float32"),
              ElementsAre("error 3:9: operator '&' needs integers, got fp32 and int 1; cast "
                          "with .to(tl.int32)"));
}

TEST(PromotionTest, pointerArithmetic) {
  Compiled result = compileBody("    u = n.to(tl.uint32)\n"
                                "    tl.store(p + u, 1.0)\n"
                                "    tl.store(2 + p, 1.0)\n"
                                "    tl.store(p - n, 1.0)\n");
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, HasSubstr("arith.extui %arg2 : i32 to i64"));
  EXPECT_THAT(result.ir, HasSubstr("tile.addptr %arg0, %0 : !tile.ptr<f32>, i64"));
  EXPECT_THAT(result.ir, HasSubstr("arith.subi %c0_i32, %arg2"));
}

TEST(PromotionTest, negative_pointerArithmetic) {
  EXPECT_THAT(compileBody("    x = p + q\n    y = p * 2\n    z = p + 1.0\n").diagnostics,
              ElementsAre("error 3:9: operator '+' is not defined for pointer<fp32> and "
                          "pointer<fp32>",
                          "error 4:9: operator '*' is not defined for pointer<fp32> and int 2",
                          "error 5:9: operator '+' is not defined for pointer<fp32> and float "
                          "1.0; cast the offset with .to(tl.int32)"));
}

TEST(PromotionTest, shiftsFollowSignedness) {
  Compiled result = compileBody("    a = n >> 1\n    b = n.to(tl.uint32) >> 1\n"
                                "    tl.store(p, a + b)\n");
  EXPECT_THAT(result.ir, HasSubstr("arith.shrsi"));
  EXPECT_THAT(result.ir, HasSubstr("arith.shrui"));
}

TEST(PromotionTest, casts) {
  Compiled result = compileBody("    a = f.to(tl.float16).to(tl.bfloat16)\n"
                                "    b = f.to(tl.int1)\n"
                                "    c = f.to(tl.uint8)\n"
                                "    d = f.to(tl.float16, fp_downcast_rounding='rtz')\n"
                                "    e = f.to(tl.int32, bitcast=True)\n"
                                "    g = f.to(tl.float8e5)\n"
                                "    tl.store(p, a + b + c + d + e + g.to(tl.float32))\n");
  EXPECT_THAT(result.diagnostics, IsEmpty());
  EXPECT_THAT(result.ir, HasSubstr("arith.cmpf une"));
  EXPECT_THAT(result.ir, HasSubstr("arith.fptoui"));
  EXPECT_THAT(result.ir, HasSubstr("rounding rtz : f32 -> f16"));
  EXPECT_THAT(result.ir, HasSubstr("arith.bitcast %arg3 : f32 to i32"));
  EXPECT_THAT(result.ir, HasSubstr("tile.fp_to_fp %arg3 : f32 -> f8E5M2"));
}

TEST(PromotionTest, negative_casts) {
  EXPECT_THAT(
      compileBody("    a = f.to(tl.int16, bitcast=True)\n    b = f.to(5)\n"
                  "    c = f.to(tl.void)\n    d = p.to(tl.float32)\n"
                  "    e = n.to(tl.float32, fp_downcast_rounding='rtz')\n")
          .diagnostics,
      ElementsAre("error 3:9: cannot bitcast fp32 to int16: their sizes differ (32 and 16 bits)",
                  "error 4:14: the dtype must be a type such as tl.float32, got int 5",
                  "error 5:9: values cannot be cast to void",
                  "error 6:9: a pointer cannot be cast to fp32",
                  "error 7:47: 'fp_downcast_rounding' is only for casts to a narrower float, got "
                  "int32 to fp32"));
}

TEST(PromotionTest, negative_shapes) {
  EXPECT_THAT(compileBody("    a = tl.arange(0, 16)\n    b = tl.arange(0, 32)\n    c = a + b\n"
                          "    d = a[:, None] + b[None, :] + b[:, None]\n")
                  .diagnostics,
              ElementsAre("error 5:9: shapes [16] and [32] cannot be broadcast together",
                          "error 6:9: shapes [16, 32] and [32, 1] cannot be broadcast together"));
}

} // namespace
} // namespace tilec::test
