// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hostile inputs: deep nesting ends in one located error, and time stays linear in the size.

#include "ParsedText.h"

#include <chrono>

using namespace tilec;

static std::string repeat(llvm::StringRef unit, size_t count) {
  std::string text;
  for (size_t i = 0; i != count; ++i)
    text += unit;
  return text;
}

static const std::string tooDeep = "nesting too deep: the limit is 256 levels\n";

TEST(Limits, nesting_within_the_limit) {
  EXPECT_EQ(ParsedText(repeat("(", 200) + "x" + repeat(")", 200)).errors(), "");
  EXPECT_EQ(ParsedText("x = " + repeat("a + ", 200) + "a").errors(), "");
  EXPECT_EQ(ParsedText(repeat("not ", 200) + "x").errors(), "");
  EXPECT_EQ(ParsedText("if a: b\n" + repeat("elif a: b\n", 100)).errors(), "");
}

TEST(Limits, deep_brackets) {
  for (const char *open : {"(", "[", "{", "f(", "x[", "{a: "})
    EXPECT_NE(ParsedText(repeat(open, 10000)).errors().find(tooDeep), std::string::npos) << open;
  EXPECT_EQ(ParsedText(repeat("(", 10000) + "x" + repeat(")", 10000)).errors(), "1:257 " + tooDeep);
}

TEST(Limits, deep_operators) {
  EXPECT_EQ(ParsedText(repeat("-", 10000) + "x").errors(), "1:256 " + tooDeep);
  for (const char *unit : {"not ", "lambda: ", "a ** ", "a if b else ", "~"})
    EXPECT_NE(ParsedText(repeat(unit, 10000) + "x").errors().find(tooDeep), std::string::npos)
        << unit;
}

TEST(Limits, long_chains_make_high_trees) {
  for (const char *unit : {" + a", " - a", ".a", "()", "[0]"})
    EXPECT_EQ(ParsedText("a" + repeat(unit, 10000)).errors(), "1:1 " + tooDeep) << unit;
}

TEST(Limits, long_lists_are_no_nesting) {
  for (const char *unit : {" and a", " < a", ", a", " == a"})
    EXPECT_EQ(ParsedText("a" + repeat(unit, 10000)).errors(), "") << unit;
  EXPECT_EQ(ParsedText(repeat("'a' ", 10000)).errors(), "");
  EXPECT_EQ(ParsedText(repeat("f'{a}' ", 10000)).errors(), "");
  EXPECT_EQ(ParsedText(repeat("a = ", 10000) + "b").errors(), "");
}

TEST(Limits, deep_indentation_is_one_error) {
  std::string text;
  for (int i = 0; i != 2000; ++i)
    text += std::string(static_cast<size_t>(i), ' ') + "if a:\n";
  ParsedText parsed(text);
  EXPECT_EQ(parsed.diagnostics.getNumErrors(), 1u);
  EXPECT_NE(parsed.errors().find(tooDeep), std::string::npos) << parsed.errors();
}

TEST(Limits, deep_elif_chain_is_one_error) {
  ParsedText parsed("if a: b\n" + repeat("elif a: b\n", 10000) + "x = = 1\n");
  EXPECT_EQ(parsed.diagnostics.getNumErrors(), 2u);
  EXPECT_NE(parsed.errors().find(tooDeep), std::string::npos) << parsed.errors();
  EXPECT_NE(parsed.errors().find("10002:5 expected an expression"), std::string::npos);
}

TEST(Limits, deep_host_code) {
  std::string text;
  for (int i = 0; i != 2000; ++i)
    text += std::string(static_cast<size_t>(i), ' ') + "if a:\n";
  text += std::string(2000, ' ') + "@triton.jit\n" + std::string(2000, ' ') + "def k(): pass\n";
  ParsedText parsed(text, "k.py");
  EXPECT_EQ(parsed.errors(), "");
  EXPECT_EQ(parsed.module->deviceFunctions.size(), 1u);
}

TEST(Limits, nested_f_strings) {
  EXPECT_NE(ParsedText(repeat("f'{", 10000)).errors(), "");
  EXPECT_NE(ParsedText(repeat("f'{", 20) + "x" + repeat("}'", 20)).errors(), "");
  EXPECT_EQ(ParsedText(repeat("f'{", 5) + "x" + repeat("}'", 5)).errors(), "");
}

TEST(Limits, tree_height_is_bounded) {
  ParsedText parsed("x = " + repeat("(", 100) + "a" + repeat(" + b)", 100));
  ASSERT_EQ(parsed.errors(), "");
  EXPECT_LE(parsed.get<ast::Assign>()->height, ast::maxNesting);
  EXPECT_GT(parsed.get<ast::Assign>()->height, 100u);
}

/// Texts of the largest size that is allowed, each of one kind of unit. The bound on the time is
/// generous; a quadratic parser would need hours.
TEST(Limits, eight_megabytes_in_linear_time) {
  struct Case {
    const char *name, *head, *unit;
  };
  static const Case cases[] = {
      {"k.tile", "@jit\ndef f(a):\n", "    x = tl.load(p + offs, mask=m, other=0.0) * 2\n"},
      {"k.py", "@jit\ndef f(a):\n", "    x = tl.load(p + offs, mask=m, other=0.0) * 2\n"},
      {"k.py", "", "def f(x): return x\n"},
      {"k.py", "", "@triton.jit\n"},
      {"k.py", "", "x = (\n"},
      {"k.tile", "", "("},
      {"k.tile", "", ")"},
      {"k.tile", "", "a;"},
      {"k.tile", "x = [", "a,"},
      {"k.tile", "", "f'''{('''"},
      {"k.py", "", "f'''{('''\n"},
      {"k.tile", "", "f\"{f'''{(\"\n"},
      {"k.tile", "", "f'{"},
      {"k.tile", "", "match x\n"},
      {"k.tile", "if a: b\n", "elif b: c\n"},
      {"k.tile", "", "\"a\""},
      {"k.tile", "", "1"},
  };
  for (const Case &input : cases) {
    std::string text = input.head;
    while (text.size() + strlen(input.unit) <= SourceBuffer::sizeLimit)
      text += input.unit;
    auto start = std::chrono::steady_clock::now();
    ParsedText parsed(text, input.name);
    std::string rendered = renderDiagnostics(parsed.sources, parsed.diagnostics);
    std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    EXPECT_LT(time.count(), 20.0) << input.unit;
    EXPECT_LT(rendered.size(), 20000u) << input.unit;
  }
}
