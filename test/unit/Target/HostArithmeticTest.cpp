// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the host's code computes where C and the GPU differ, and the functions of the math library.

#include "HostKernelFixture.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace tilec;

namespace {

class HostArithmeticTest : public HostKernelFixture {};

TEST_F(HostArithmeticTest, ComputesLibraryFunctions) {
  struct Case {
    const char *name;
    double (*reference)(double);
  };
  const Case cases[] = {{"sin", std::sin},     {"cos", std::cos},   {"tan", std::tan},
                        {"erf", std::erf},     {"erfc", std::erfc}, {"exp", std::exp},
                        {"expm1", std::expm1}, {"log", std::log},   {"log1p", std::log1p},
                        {"tanh", std::tanh},   {"cbrt", std::cbrt}, {"atan", std::atan},
                        {"asinh", std::asinh}, {"log2", std::log2}, {"tgamma", std::tgamma}};
  for (const Case &test : cases) {
    std::string symbol = std::string("__tilec_math_") + test.name;
    std::vector<float> x = {0.25f, 0.5f, 1.0f, 3.75f};
    std::vector<double> wide(x.begin(), x.end());
    auto y = map<float>(elementKernel("f32", "f32",
                                      "%r = llvm.call @" + symbol + "_f32(%v) : (f32) -> f32",
                                      "llvm.func @" + symbol + "_f32(f32) -> f32"),
                        x);
    auto z = map<double>(elementKernel("f64", "f64",
                                       "%r = llvm.call @" + symbol + "_f64(%v) : (f64) -> f64",
                                       "llvm.func @" + symbol + "_f64(f64) -> f64"),
                         wide);
    for (size_t i = 0; i < x.size(); ++i) {
      EXPECT_NEAR(y[i], test.reference(x[i]), 1e-6 * std::fabs(test.reference(x[i]))) << test.name;
      EXPECT_EQ(z[i], test.reference(x[i])) << test.name;
    }
  }
}

TEST_F(HostArithmeticTest, ResolvesEveryLibraryFunction) {
  const std::pair<llvm::StringRef, const char *> families[] = {
      {"T", "abs acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp10 exp2 expm1 "
            "fabs floor j0 j1 lgamma log log10 log1p log2 logb nearbyint rint round roundeven "
            "rsqrt sin sinh sqrt tan tanh tgamma trunc y0 y1"},
      {"T, T", "atan2 copysign fdim fmax fmin fmod hypot nextafter pow remainder"},
      {"T, T, T", "fma"}};
  for (auto [parameters, names] : families) {
    llvm::SmallVector<llvm::StringRef> list;
    llvm::StringRef(names).split(list, ' ');
    for (llvm::StringRef name : list)
      for (llvm::StringRef type : {"f32", "f64"}) {
        std::string symbol = ("@__tilec_math_" + name + "_" + type).str();
        std::string types = replaced(parameters, "T", type);
        std::string values = replaced(parameters, "T", "%v");
        EXPECT_TRUE(compile(elementKernel(
            type, type,
            "%r = llvm.call " + symbol + "(" + values + ") : (" + types + ") -> " + type.str(),
            "llvm.func " + symbol + "(" + types + ") -> " + type.str())))
            << name.str();
      }
  }
}

TEST_F(HostArithmeticTest, ComputesApproximations) {
  auto intrinsic = [](llvm::StringRef name) {
    return elementKernel(
        "f32", "f32",
        ("%r = llvm.call_intrinsic \"llvm.nvvm." + name + "\"(%v) : (f32) -> f32").str());
  };
  std::vector<float> x = {0.5f, 1.0f, 2.25f, 9.0f};
  EXPECT_EQ(map<float>(intrinsic("ex2.approx.ftz"), x),
            (std::vector<float>{std::exp2(0.5f), 2.0f, std::exp2(2.25f), 512.0f}));
  EXPECT_EQ(map<float>(intrinsic("lg2.approx.ftz.f"), x),
            (std::vector<float>{-1.0f, 0.0f, std::log2(2.25f), std::log2(9.0f)}));
  EXPECT_EQ(map<float>(intrinsic("sqrt.approx.f"), x),
            (std::vector<float>{std::sqrt(0.5f), 1.0f, 1.5f, 3.0f}));
  EXPECT_EQ(map<float>(intrinsic("rsqrt.approx.f"), x),
            (std::vector<float>{1.0f / std::sqrt(0.5f), 1.0f, 1.0f / 1.5f, 1.0f / 3.0f}));
  EXPECT_EQ(map<float>(elementKernel("f32", "f32",
                                     "%r = llvm.call_intrinsic \"llvm.nvvm.div.full\"(%v, %v) : "
                                     "(f32, f32) -> f32"),
                       x),
            (std::vector<float>{1.0f, 1.0f, 1.0f, 1.0f}));
}

TEST_F(HostArithmeticTest, DividesAsTheGpuDoes) {
  std::string body = R"mlir(
    %two = llvm.mlir.constant(2 : i32) : i32
    %ten = llvm.mlir.constant(10 : i32) : i32
    %low = llvm.mlir.constant(-2147483648 : i32) : i32
    %ones = llvm.mlir.constant(-1 : i32) : i32
    %isOnes = llvm.icmp "eq" %v, %ones : i32
    %n = llvm.select %isOnes, %low, %ten : i1, i32
    %r = llvm.OP %n, %v : i32)mlir";
  std::vector<int32_t> x = {0, -1, 3, 20};
  int32_t low = INT32_MIN;
  auto run = [&](llvm::StringRef op) {
    return map<int32_t>(elementKernel("i32", "i32", replaced(body, "OP", op)), x);
  };
  EXPECT_EQ(run("sdiv"), (std::vector<int32_t>{-1, low, 3, 0}));
  EXPECT_EQ(run("srem"), (std::vector<int32_t>{10, 0, 1, 10}));
  EXPECT_EQ(run("udiv"), (std::vector<int32_t>{-1, 0, 3, 0}));
  EXPECT_EQ(run("urem"), (std::vector<int32_t>{10, low, 1, 10}));
}

TEST_F(HostArithmeticTest, ConvertsFloatsToIntegersAsTheGpuDoes) {
  std::vector<float> x = {1e20f, -1e20f, NAN, -3.7f};
  EXPECT_EQ(map<int32_t>(elementKernel("f32", "i32", "%r = llvm.fptosi %v : f32 to i32"), x),
            (std::vector<int32_t>{INT32_MAX, INT32_MIN, 0, -3}));
  EXPECT_EQ(map<uint32_t>(elementKernel("f32", "i32", "%r = llvm.fptoui %v : f32 to i32"), x),
            (std::vector<uint32_t>{UINT32_MAX, 0, 0, 0}));
  std::vector<float> bytes = {200.0f, -3.7f, 5.0f};
  EXPECT_EQ(map<int8_t>(elementKernel("f32", "i8", "%r = llvm.fptosi %v : f32 to i8"), bytes),
            (std::vector<int8_t>{-56, -3, 5}));
}

TEST_F(HostArithmeticTest, RoundsNarrowFloatsToNearestEven) {
  std::vector<float> x = {
      1.0f,   1.00048828125f /* half a step of f16 */, 65520.0f, 5.9604645e-8f, 1e-8f, -0.0f,
      3.0e38f};
  auto half = map<uint16_t>(elementKernel("f32", "f16", "%r = llvm.fptrunc %v : f32 to f16"), x);
  EXPECT_EQ(half, (std::vector<uint16_t>{0x3c00, 0x3c00, 0x7c00, 0x0001, 0x0000, 0x8000, 0x7c00}));
  std::vector<float> z = {1.00390625f /* half a step of bf16 */, 1.01171875f, 3.4e38f, 1e-40f,
                          INFINITY};
  auto brain = map<uint16_t>(elementKernel("f32", "bf16", "%r = llvm.fptrunc %v : f32 to bf16"), z);
  EXPECT_EQ(brain, (std::vector<uint16_t>{0x3f80, 0x3f82, 0x7f80, 0x0001, 0x7f80}));
  auto wide = map<float>(elementKernel("bf16", "f32", "%r = llvm.fpext %v : bf16 to f32"),
                         std::vector<uint16_t>{0x3f80, 0x0001, 0x7f80});
  EXPECT_EQ(wide, (std::vector<float>{1.0f, 9.18355e-41f, INFINITY}));
  auto fromDouble =
      map<uint16_t>(elementKernel("f64", "bf16", "%r = llvm.fptrunc %v : f64 to bf16"),
                    std::vector<double>{1.0039062500000002, 1e300, 1.0});
  EXPECT_EQ(fromDouble, (std::vector<uint16_t>{0x3f81, 0x7f80, 0x3f80}));
  auto sum = map<uint16_t>(elementKernel("f16", "f16", "%r = llvm.fadd %v, %v : f16"),
                           std::vector<uint16_t>{0x3c00, 0x0001, 0x7bff});
  EXPECT_EQ(sum, (std::vector<uint16_t>{0x4000, 0x0002, 0x7c00}));
}

TEST_F(HostArithmeticTest, KeepsSubnormals) {
  auto y = map<float>(elementKernel("f32", "f32", R"mlir(
      %half = llvm.mlir.constant(0.5 : f32) : f32
      %r = llvm.fmul %v, %half : f32)mlir"),
                      std::vector<float>{1.2e-38f, 2.8e-45f});
  EXPECT_EQ(y, (std::vector<float>{1.2e-38f * 0.5f, 1.4e-45f}));
}

} // namespace
