// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options through files and to other processes.

#include "ChangedOptions.h"

#include "llvm/Support/FormatVariadic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

using namespace tilec;

namespace {

template <typename Options> std::string textOf(const Options &options) {
  return llvm::formatv("{0}", llvm::json::Value(toJSON(options))).str();
}

/// The error with the path to it; empty when there is none.
std::string errorOf(const std::string &text) {
  CompileOptions options;
  llvm::json::Path::Root root("options");
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (!value)
    return llvm::toString(value.takeError());
  return fromJSON(*value, options, root) ? "" : llvm::toString(root.getError());
}

TEST(CompileOptions, EachOptionOfCodeSurvivesAFile) {
  CompileOptions options;
  std::set<std::string> texts = {textOf(options.code())};
  test::changeEach<OptionUse::Code>(options, [&](const std::string &changed) {
    EXPECT_TRUE(texts.insert(textOf(options.code())).second) << changed << " is not written";
    CodeOptions again;
    llvm::json::Path::Root root;
    EXPECT_TRUE(fromJSON(toJSON(options.code()), again, root));
    EXPECT_EQ(textOf(again), textOf(options.code())) << changed;
  });
  EXPECT_EQ(texts.size(), 26u);
}

TEST(CompileOptions, EachOptionReachesAnotherProcess) {
  CompileOptions options;
  std::set<std::string> texts = {textOf(options)};
  auto isHandedOver = [&](const std::string &changed) {
    EXPECT_TRUE(texts.insert(textOf(options)).second) << changed << " is not written";
    CompileOptions again;
    llvm::json::Path::Root root;
    EXPECT_TRUE(fromJSON(toJSON(options), again, root));
    EXPECT_EQ(textOf(again), textOf(options)) << changed;
  };
  test::changeEach<OptionUse::Code, OptionUse::Result, OptionUse::Source, OptionUse::Machine>(
      options, isHandedOver);
  EXPECT_EQ(texts.size(), 32u);
}

TEST(CompileOptions, WhatIsLeftOutStaysAsItIs) {
  CodeOptions options;
  options.numWarps = 2;
  llvm::json::Path::Root root;
  EXPECT_TRUE(fromJSON(llvm::json::Object{{"debug", true}}, options, root));
  EXPECT_TRUE(options.debug);
  EXPECT_EQ(options.numWarps, 2);
  EXPECT_EQ(options.unrollLimit, CodeOptions().unrollLimit);
}

TEST(CompileOptions, aClusterIsForSeveralProgramsOrForOne) {
  for (std::optional<int> splitK : {std::optional<int>(), std::optional(1), std::optional(8)})
    EXPECT_EQ(clusterProblem({}, splitK), std::nullopt);
  for (int ctas : {1, 2, 4, 8})
    EXPECT_EQ(clusterProblem(ctas, {}), std::nullopt);
  EXPECT_EQ(clusterProblem(2, 1), std::nullopt);
  EXPECT_EQ(clusterProblem(1, 4), std::nullopt);
  EXPECT_EQ(clusterProblem(2, 4),
            "num_ctas is 2 and split_k is 4: a cluster is for several programs or for one");
  for (int wrong : {-1, 0, 3, 16})
    EXPECT_EQ(clusterProblem(wrong, {}), "num_ctas is " + std::to_string(wrong) +
                                             ", expected 1, 2, 4 or 8 programs of a cluster");
  for (int wrong : {-1, 0, 3, 16})
    EXPECT_EQ(clusterProblem({}, wrong),
              "split_k is " + std::to_string(wrong) + ", expected 1, 2, 4 or 8 CTAs of a program");
}

TEST(CompileOptions, ErrorsHaveTheirPlace) {
  EXPECT_EQ(errorOf("{}"), "");
  EXPECT_THAT(errorOf("[]"), testing::HasSubstr("expected object"));
  EXPECT_THAT(errorOf(R"({"numWarps": "four"})"), testing::HasSubstr("options.numWarps"));
  EXPECT_THAT(errorOf(R"({"arguments": [["x", "i32"], ["y"]]})"),
              testing::HasSubstr("expected a name and a value at options.arguments[1]"));
  EXPECT_THAT(errorOf(R"({"heuristicArguments": [["n", "x"]]})"),
              testing::HasSubstr("options.heuristicArguments[0][1]"));
  EXPECT_THAT(errorOf(R"({"stopAfter": "moon"})"),
              testing::HasSubstr("expected a stage at options.stopAfter"));
  EXPECT_THAT(errorOf(R"({"warnings": ["error", "moon"]})"),
              testing::HasSubstr("options.warnings[1]"));
  EXPECT_THAT(errorOf(R"({"modules": {"texts": [["a.py"]]}})"),
              testing::HasSubstr("options.modules.texts[0]"));
}

} // namespace
