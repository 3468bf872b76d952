// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options that decide which code a kernel becomes, through files and keys.

#include "tilec/Driver/CodeOptions.h"

#include "llvm/Support/FormatVariadic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

using namespace tilec;

namespace {

/// Another value than the default's, for each kind of option.
void change(bool &flag) { flag = !flag; }
void change(uint64_t &number) { number += 7; }
void change(std::optional<int> &number) { number = 8; }
void change(std::string &text) { text = "sm_80"; }
void change(std::vector<ArgumentSpec> &list) { list = {{"x", "*fp32:16"}, {"n", "i32"}}; }
void change(std::vector<ConstantSpec> &list) { list = {{"BLOCK", "128"}}; }
void change(std::vector<std::pair<std::string, int64_t>> &list) { list = {{"n", -5}}; }

std::string textOf(const CodeOptions &options) {
  return llvm::formatv("{0}", llvm::json::Value(toJSON(options))).str();
}

std::vector<std::string> namesOf(const CodeOptions &options) {
  std::vector<std::string> names;
  visitCodeOptions(options, [&](const char *name, const auto &) { names.push_back(name); });
  return names;
}

/// The error with the path to it; empty when there is none.
std::string errorOf(const std::string &text) {
  CodeOptions options;
  llvm::json::Path::Root root("options");
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (!value)
    return llvm::toString(value.takeError());
  return fromJSON(*value, options, root) ? "" : llvm::toString(root.getError());
}

TEST(CodeOptions, EachOptionSurvivesAFile) {
  std::set<std::string> texts = {textOf(CodeOptions())};
  for (const std::string &changed : namesOf(CodeOptions())) {
    CodeOptions options, again;
    visitCodeOptions(options, [&](const char *name, auto &option) {
      if (name == changed)
        change(option);
    });
    EXPECT_TRUE(texts.insert(textOf(options)).second) << changed << " is not written";
    llvm::json::Path::Root root;
    EXPECT_TRUE(fromJSON(toJSON(options), again, root));
    EXPECT_EQ(textOf(again), textOf(options)) << changed;
  }
}

TEST(CodeOptions, WhatIsLeftOutStaysAsItIs) {
  CodeOptions options;
  options.numWarps = 2;
  llvm::json::Path::Root root;
  EXPECT_TRUE(fromJSON(llvm::json::Object{{"debug", true}}, options, root));
  EXPECT_TRUE(options.debug);
  EXPECT_EQ(options.numWarps, 2);
  EXPECT_EQ(options.unrollLimit, CodeOptions().unrollLimit);
}

TEST(CodeOptions, ErrorsHaveTheirPlace) {
  EXPECT_EQ(errorOf("{}"), "");
  EXPECT_THAT(errorOf("[]"), testing::HasSubstr("expected object"));
  EXPECT_THAT(errorOf(R"({"numWarps": "four"})"), testing::HasSubstr("options.numWarps"));
  EXPECT_THAT(errorOf(R"({"arguments": [["x", "i32"], ["y"]]})"),
              testing::HasSubstr("expected a name and a value at options.arguments[1]"));
  EXPECT_THAT(errorOf(R"({"heuristicArguments": [["n", "x"]]})"),
              testing::HasSubstr("options.heuristicArguments[0][1]"));
}

} // namespace
