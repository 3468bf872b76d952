// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From data to a plan: types, constants, and the bytes of arguments.

#include "tools/tilec/PlanLaunch.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cstring>

using namespace tilec;
using namespace tilec::tool;
using testing::HasSubstr;
using tilecrt::NumberData;

namespace {

std::string typeOf(std::string_view text, bool specialize = true) {
  auto data = readRunData(text, {});
  return data.ok() ? deduceNumberType(std::get<NumberData>(*data), specialize) : data.message();
}

TEST(RunArguments, NumberTypes) {
  EXPECT_EQ(typeOf("7"), "i32");
  EXPECT_EQ(typeOf("1"), "i32");
  EXPECT_EQ(typeOf("16"), "i32:16");
  EXPECT_EQ(typeOf("0"), "i32:16");
  EXPECT_EQ(typeOf("-32"), "i32:16");
  EXPECT_EQ(typeOf("16", false), "i32");
  EXPECT_EQ(typeOf("2147483647"), "i32");
  EXPECT_EQ(typeOf("2147483649"), "i64");
  EXPECT_EQ(typeOf("4294967296"), "i64:16");
  EXPECT_EQ(typeOf("i64:32"), "i64:16");
  EXPECT_EQ(typeOf("0.5"), "fp32");
  EXPECT_EQ(typeOf("16.0"), "fp32");
  EXPECT_EQ(typeOf("2:f64"), "fp64");
  EXPECT_EQ(typeOf("True"), "u1");
}

class Plans : public testing::Test {
protected:
  RunPlan plan(const char *text) {
    FileId file = llvm::cantFail(sources.addBuffer("t.tile", text));
    ParsedSource source = parseSource(sources, file, diagnostics, {});
    const KernelInfo *kernel = source.select("", diagnostics);
    return kernel ? makeRunPlan(command, source, *kernel, diagnostics) : RunPlan();
  }
  std::string typeOfArgument(const RunPlan &made, llvm::StringRef name) {
    for (const ArgumentSpec &spec : made.types)
      if (spec.name == name)
        return spec.type;
    return "";
  }

  SourceManager sources;
  DiagnosticEngine diagnostics;
  RunCommand command;
};

constexpr const char *kernelText = R"(@triton.jit
def k(x, y: "*kfp16", n: tl.int64, m, B: tl.constexpr, C: tl.constexpr = 2 * 8):
    pass
)";

TEST_F(Plans, BindsParameters) {
  command.grid = "cdiv(x.size, B), C, n";
  command.kernel.arguments = {
      {"x", "zeros:bf16[100]"}, {"y", "zeros:f16[4]"}, {"n", "32"}, {"m", "3"}, {"B", "8"}};
  RunPlan made = plan(kernelText);
  ASSERT_FALSE(diagnostics.hasErrors()) << diagnostics.getDiagnostics().front().message;
  EXPECT_EQ(made.kernel, "k");
  EXPECT_EQ(typeOfArgument(made, "x"), "*bf16:16");
  EXPECT_EQ(typeOfArgument(made, "y"), "*kfp16:16");
  EXPECT_EQ(typeOfArgument(made, "n"), "int64:16");
  EXPECT_EQ(typeOfArgument(made, "m"), "i32");
  ASSERT_EQ(made.constants.size(), 1u);
  EXPECT_EQ(made.constants[0].name, "B");
  EXPECT_EQ(made.grid[0], 13u);
  EXPECT_EQ(made.grid[1], 16u);
  EXPECT_EQ(made.grid[2], 32u);
  EXPECT_EQ(made.argumentBytes(), 208u);
  EXPECT_EQ(made.movedBytes, 208u);
}

TEST_F(Plans, OtherConstantsForTheSameData) {
  FileId file = llvm::cantFail(sources.addBuffer("t.tile", kernelText));
  ParsedSource source = parseSource(sources, file, diagnostics, {});
  const KernelInfo *kernel = source.select("", diagnostics);
  ASSERT_TRUE(kernel);
  command.grid = "cdiv(x.size, B)";
  command.bytes = "2 * x.bytes + B";
  command.kernel.arguments = {
      {"x", "arange:f32[100]"}, {"y", "zeros:f16[4]"}, {"n", "32"}, {"m", "3"}};
  command.kernel.options.constants = {{"B", "8"}};
  RunPlan made = makeRunPlan(command, source, *kernel, diagnostics);
  ASSERT_FALSE(diagnostics.hasErrors());
  EXPECT_EQ(made.grid[0], 13u);
  EXPECT_EQ(made.movedBytes, 808u);
  command.kernel.options.constants = {{"B", "64"}};
  rebindConstants(made, command, source, *kernel, diagnostics);
  ASSERT_FALSE(diagnostics.hasErrors());
  EXPECT_EQ(made.constants[0].value, "64");
  EXPECT_EQ(made.grid[0], 2u);
  EXPECT_EQ(made.movedBytes, 864u);
  EXPECT_EQ(made.arrays[0].data.at(99), 99.0);
  EXPECT_EQ(made.types.size(), 4u);

  command.bytes = "0 - B";
  rebindConstants(made, command, source, *kernel, diagnostics);
  EXPECT_TRUE(diagnostics.hasErrors());
}

TEST_F(Plans, NoSpecialization) {
  command.grid = "1";
  command.noSpecialize = true;
  command.kernel.arguments = {
      {"x", "zeros:f32[1]"}, {"y", "zeros:f16[4]"}, {"n", "32"}, {"m", "16"}, {"B", "8"}};
  RunPlan made = plan(kernelText);
  ASSERT_FALSE(diagnostics.hasErrors());
  EXPECT_EQ(typeOfArgument(made, "x"), "*fp32");
  EXPECT_EQ(typeOfArgument(made, "n"), "int64");
  EXPECT_EQ(typeOfArgument(made, "m"), "i32");
}

TEST_F(Plans, ReportsAllThatIsMissing) {
  command.grid = "1";
  command.kernel.arguments = {{"n", "oops"}, {"q", "1"}};
  plan(kernelText);
  // q, x, y, n and m; the missing constexpr is the compiler's to report.
  EXPECT_EQ(diagnostics.getNumErrors(), 5u);
}

TEST_F(Plans, EncodesArguments) {
  command.grid = "1";
  command.kernel.arguments = {
      {"x", "zeros:f32[1]"}, {"y", "zeros:f16[4]"}, {"n", "-2"}, {"m", "0.5"}, {"B", "8"}};
  RunPlan made = plan(kernelText);
  ASSERT_FALSE(diagnostics.hasErrors());
  tilecrt::KernelMetadata metadata;
  auto add = [&](const char *name, const char *type, tilecrt::ArgumentKind kind, uint32_t size) {
    metadata.arguments.push_back({name, type, kind, size, 1, false});
  };
  add("x", "*fp32", tilecrt::ArgumentKind::pointer, 8);
  add("n", "i64", tilecrt::ArgumentKind::integer, 8);
  add("m", "fp32", tilecrt::ArgumentKind::floating, 4);
  auto bytes = encodeArguments(made, metadata, {0x1234, 0});
  ASSERT_TRUE(bytes.ok()) << bytes.message();
  uint64_t address = 0;
  std::memcpy(&address, (*bytes)[0].data(), 8);
  EXPECT_EQ(address, 0x1234u);
  int64_t n = 0;
  std::memcpy(&n, (*bytes)[1].data(), 8);
  EXPECT_EQ(n, -2);
  float m = 0;
  std::memcpy(&m, (*bytes)[2].data(), 4);
  EXPECT_EQ(m, 0.5f);

  auto errorWith = [&](const char *name, const char *type, tilecrt::ArgumentKind kind) {
    metadata.arguments.clear();
    add(name, type, kind, 8);
    return encodeArguments(made, metadata, {0, 0}).message();
  };
  using tilecrt::ArgumentKind;
  EXPECT_THAT(errorWith("m", "i64", ArgumentKind::integer), HasSubstr("with a fraction"));
  EXPECT_THAT(errorWith("n", "u32", ArgumentKind::integer), HasSubstr("outside the range"));
  EXPECT_THAT(errorWith("n", "*i8", ArgumentKind::pointer), HasSubstr("is a pointer"));
  EXPECT_THAT(errorWith("x", "i64", ArgumentKind::integer), HasSubstr("got an array"));
  EXPECT_THAT(errorWith("z", "i64", ArgumentKind::integer), HasSubstr("not given"));
}

} // namespace
