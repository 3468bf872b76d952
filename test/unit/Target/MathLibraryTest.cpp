// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Binding mathematics to bitcode libraries. Tests that need a library are skipped where it is not
// installed.

#include "KernelFixture.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <gmock/gmock.h>

#include <fstream>

using namespace tilec;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

namespace {

class MathLibrary : public KernelFixture {
protected:
  MathLibraries installed = findMathLibraries({"", "", "", environmentValue("CUDA_HOME")});
};

TEST_F(MathLibrary, KernelsWithoutMathOpenNoFile) {
  PTXOptions options;
  options.mathLibraries.libclc = "/does/not/exist.bc";
  auto result = compile(vectorAdd(), options);
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  EXPECT_TRUE(result->math.functions.empty());
  EXPECT_TRUE(result->math.files.empty());
}

TEST_F(MathLibrary, WithoutLibrariesTheFunctionIsNamed) {
  PTXOptions options;
  options.mathLibraries.searched = {"/a.bc", "/b.bc"};
  std::string error = errorOf(mathKernel("__tilec_math_erf_f32", "f32"), options);
  EXPECT_THAT(error,
              HasSubstr("math function 'erf_f32' needs a bitcode library and none was found"));
  EXPECT_THAT(error, HasSubstr("install libclc"));
  EXPECT_THAT(error, HasSubstr("(searched: /a.bc, /b.bc)"));
}

TEST_F(MathLibrary, BrokenLibrariesAreErrors) {
  llvm::SmallString<128> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("tilec-test", "bc", path));
  std::ofstream(path.c_str()) << "no bitcode at all, but four bytes and more";
  PTXOptions options;
  options.mathLibraries.libclc = std::string(path);
  EXPECT_THAT(errorOf(mathKernel("__tilec_math_erf_f32", "f32"), options),
              HasSubstr("cannot read math library '" + std::string(path) + "'"));
  llvm::sys::fs::remove(path);
  options.mathLibraries.libclc = "/does/not/exist.bc";
  EXPECT_THAT(errorOf(mathKernel("__tilec_math_erf_f32", "f32"), options),
              HasSubstr("cannot read math library '/does/not/exist.bc'"));
}

TEST_F(MathLibrary, NamesMustSayTheirPrecision) {
  EXPECT_THAT(errorOf(mathKernel("__tilec_math_erf", "f32")),
              HasSubstr("malformed math function '__tilec_math_erf'"));
}

TEST_F(MathLibrary, ExplicitPathsAreTheOnlyOnesSearched) {
  MathLibraries found = findMathLibraries({"/x/clc.bc", "/x/device.bc", "/resources", "/cuda"});
  EXPECT_EQ(found.libclc, "");
  EXPECT_EQ(found.libdevice, "");
  EXPECT_THAT(found.searched, ElementsAre("/x/clc.bc", "/x/device.bc"));
  found = findMathLibraries({"", "", "/resources", "/cuda"});
  EXPECT_EQ(found.searched.front(), "/resources/nvptx64--.bc");
  EXPECT_THAT(found.searched, testing::Contains("/cuda/nvvm/libdevice/libdevice.10.bc"));
}

/// Every function that lowering may ask for, from one library alone.
void expectAllLink(KernelFixture &,
                   const std::function<llvm::Expected<PTXResult>(llvm::StringRef)> &compile,
                   llvm::ArrayRef<const char *> names) {
  for (const char *name : names)
    for (const char *type : {"f32", "f64"}) {
      std::string function = std::string("__tilec_math_") + name + "_" + type;
      auto result = compile(mathKernel(function, type));
      if (!result) {
        ADD_FAILURE() << function << ": " << llvm::toString(result.takeError());
        continue;
      }
      EXPECT_THAT(result->ptx, Not(HasSubstr(".extern .func"))) << function;
      EXPECT_THAT(result->ptx, Not(HasSubstr(".visible .func"))) << function;
      EXPECT_THAT(result->math.functions, ElementsAre(std::string(name) + "_" + type));
    }
}

constexpr const char *unaryFunctions[] = {
    "acos", "acosh", "asin", "asinh", "atan",   "atanh", "cbrt",  "cos",   "cosh",
    "erf",  "exp",   "exp2", "expm1", "lgamma", "log",   "log10", "log1p", "log2",
    "sin",  "sinh",  "tan",  "tanh",  "tgamma", "rsqrt", "abs",   "ceil",  "floor"};

TEST_F(MathLibrary, LibclcHasTheFunctions) {
  if (installed.libclc.empty())
    GTEST_SKIP() << "libclc is not installed";
  PTXOptions options;
  options.mathLibraries.libclc = installed.libclc;
  expectAllLink(
      *this, [&](llvm::StringRef text) { return compile(text, options); }, unaryFunctions);
}

TEST_F(MathLibrary, LibdeviceHasTheFunctions) {
  if (installed.libdevice.empty())
    GTEST_SKIP() << "CUDA's libdevice is not installed";
  PTXOptions options;
  options.mathLibraries.libdevice = installed.libdevice;
  expectAllLink(
      *this, [&](llvm::StringRef text) { return compile(text, options); }, unaryFunctions);
}

TEST_F(MathLibrary, PreferenceChoosesAndTheOtherFillsIn) {
  if (installed.libclc.empty() || installed.libdevice.empty())
    GTEST_SKIP() << "needs both libclc and CUDA's libdevice";
  PTXOptions options;
  options.mathLibraries = installed;
  options.mathPreference = MathLibraryPreference::libclc;
  auto open = compile(mathKernel("__tilec_math_erf_f32", "f32"), options);
  ASSERT_TRUE(bool(open));
  EXPECT_THAT(open->math.files, ElementsAre(installed.libclc));
  options.mathPreference = MathLibraryPreference::libdevice;
  auto nvidia = compile(mathKernel("__tilec_math_erf_f32", "f32"), options);
  ASSERT_TRUE(bool(nvidia));
  EXPECT_THAT(nvidia->math.files, ElementsAre(installed.libdevice));
  options.mathPreference = MathLibraryPreference::libclc;
  auto filled = compile(mathKernel("__tilec_math_j0_f32", "f32"), options);
  ASSERT_TRUE(bool(filled)) << llvm::toString(filled.takeError());
  EXPECT_THAT(filled->math.files, ElementsAre(installed.libdevice));
}

TEST_F(MathLibrary, DeviceFunctionsCanBeNamedDirectly) {
  if (installed.libdevice.empty())
    GTEST_SKIP() << "CUDA's libdevice is not installed";
  PTXOptions options;
  options.mathLibraries = installed;
  auto result = compile(mathKernel("__nv_normcdff", "f32"), options);
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  EXPECT_THAT(result->ptx, Not(HasSubstr(".extern .func")));
  EXPECT_THAT(result->math.files, ElementsAre(installed.libdevice));
}

TEST_F(MathLibrary, UnknownFunctionsAreErrors) {
  if (installed.libclc.empty())
    GTEST_SKIP() << "libclc is not installed";
  PTXOptions options;
  options.mathLibraries.libclc = installed.libclc;
  EXPECT_EQ(errorOf(mathKernel("__tilec_math_j0_f32", "f32"), options),
            "math function 'j0_f32' is not in " + installed.libclc +
                "; CUDA's libdevice has more functions and was not found");
}

TEST_F(MathLibrary, LinkedPTXIsDeterministic) {
  if (installed.libclc.empty())
    GTEST_SKIP() << "libclc is not installed";
  PTXOptions options;
  options.mathLibraries.libclc = installed.libclc;
  std::string text = mathKernel("__tilec_math_sin_f32", "f32");
  EXPECT_EQ(ptxOf(text, options), ptxOf(text, options));
}

} // namespace
