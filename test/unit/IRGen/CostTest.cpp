// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it takes to emit a kernel, in steps and operations: in proportion to its size, however deep
// loops and branches are nested.

#include "tilec/IRGen/IRGen.h"
#include "tilec/Syntax/Parser.h"

#include <gtest/gtest.h>

namespace tilec {
namespace {

IRGenStatistics measure(const std::string &body) {
  SourceManager sources;
  DiagnosticEngine diagnostics;
  std::string text = "@triton.jit\ndef k(x, n):\n    a = tl.load(x)\n    b = 0\n" + body +
                     "    tl.store(x, a + b)\n";
  FileId file = llvm::cantFail(sources.addBuffer("k.tile", text));
  std::unique_ptr<ast::Module> module = parseModule(sources, file, diagnostics);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  IRGenStatistics statistics;
  IRGenOptions options;
  options.arguments = {{"x", "*fp32"}, {"n", "i32"}};
  options.statistics = &statistics;
  EXPECT_TRUE(generateTile(context, *module, sources, options, diagnostics));
  for (const Diagnostic &diagnostic : diagnostics.getDiagnostics())
    ADD_FAILURE() << diagnostic.message;
  return statistics;
}

std::string indent(unsigned depth) { return std::string(4 * (depth + 1), ' '); }

/// Loops or branches inside of each other, with two statements each.
std::string nest(const std::string &header, unsigned depth) {
  std::string body;
  for (unsigned i = 0; i < depth; ++i)
    body += indent(i) + header + "\n" + indent(i + 1) + "a += tl.load(x + b)\n" + indent(i + 1) +
            "b = b + n\n";
  return body;
}

/// Whether three times the code takes no more than a little over three times the work.
void expectLinear(const IRGenStatistics &small, const IRGenStatistics &large) {
  EXPECT_GT(large.steps, 2 * small.steps);
  EXPECT_LT(large.steps, 4 * small.steps);
  EXPECT_LT(large.ops, 4 * small.ops);
}

TEST(CostTest, nestedLoops) {
  expectLinear(measure(nest("for i in range(n):", 8)), measure(nest("for i in range(n):", 24)));
  expectLinear(measure(nest("while b < n:", 8)), measure(nest("while b < n:", 24)));
}

TEST(CostTest, nestedBranches) {
  expectLinear(measure(nest("if n > b:", 8)), measure(nest("if n > b:", 24)));
}

TEST(CostTest, doubleLoopsInSequence) {
  auto repeat = [](unsigned count) {
    std::string body;
    for (unsigned i = 0; i < count; ++i)
      body += "    for i in range(n):\n        for j in range(i):\n"
              "            a += tl.load(x + j)\n            b += i\n";
    return body;
  };
  expectLinear(measure(repeat(10)), measure(repeat(30)));
}

TEST(CostTest, earlyReturnsInSequence) {
  auto repeat = [](unsigned count) {
    std::string body;
    for (unsigned i = 0; i < count; ++i)
      body += "    if n > " + std::to_string(i) + ":\n        return\n    a += 1.0\n";
    return body;
  };
  // Short chains are made in another way.
  expectLinear(measure(repeat(40)), measure(repeat(120)));
}

TEST(CostTest, continuesInSequence) {
  auto repeat = [](unsigned count) {
    std::string body = "    for i in range(n):\n";
    for (unsigned i = 0; i < count; ++i)
      body += "        if i > " + std::to_string(i) + ":\n            continue\n        a += 1.0\n";
    return body;
  };
  expectLinear(measure(repeat(10)), measure(repeat(30)));
}

TEST(CostTest, branchesThatAreLeftInParts) {
  auto repeat = [](unsigned count) {
    std::string body;
    for (unsigned i = 0; i < count; ++i)
      body += "    if n > " + std::to_string(i) + ":\n        if b == " + std::to_string(i) +
              ":\n            return\n        a += 1.0\n";
    return body;
  };
  // Short chains are made in another way.
  expectLinear(measure(repeat(40)), measure(repeat(120)));
}

/// The first error of a kernel `k` that takes a pointer, and what was done until then.
std::string runAway(const std::string &text, IRGenStatistics &statistics) {
  SourceManager sources;
  DiagnosticEngine diagnostics;
  FileId file = llvm::cantFail(sources.addBuffer("k.tile", text));
  std::unique_ptr<ast::Module> module = parseModule(sources, file, diagnostics);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  IRGenOptions options;
  options.kernel = "k";
  options.arguments = {{"x", "*fp32"}};
  options.stepLimit = 100'000;
  options.statistics = &statistics;
  generateTile(context, *module, sources, options, diagnostics);
  for (const Diagnostic &diagnostic : diagnostics.getDiagnostics())
    return diagnostic.message;
  return "";
}

std::string runAwayBody(const std::string &body, IRGenStatistics &statistics) {
  std::string many;
  for (unsigned i = 0; i < 1000; ++i)
    many += std::to_string(i) + ": 1, ";
  return runAway("@triton.constexpr_function\ndef dict_of_many():\n    return {" + many +
                     "}\n\n\n@triton.jit\ndef k(x):\n" + body + "    tl.store(x, 1.0)\n",
                 statistics);
}

// What is tried aside is paid from the same budget.
TEST(CostTest, trials) {
  IRGenStatistics statistics;
  std::string message =
      runAway("@triton.constexpr_function\ndef f():\n    while True:\n        try:\n"
              "            while True:\n                pass\n        except ValueError:\n"
              "            pass\n\n\n@triton.jit\ndef k(x):\n    tl.store(x, f())\n",
              statistics);
  EXPECT_NE(message.find("takes more than 100000 steps"), std::string::npos) << message;
  EXPECT_LT(statistics.steps, 110'000u);
}

// Conditions that ask for names with conditions are not evaluated again and again.
TEST(CostTest, conditionsOfConditions) {
  std::string text = "A0 = 1\n";
  for (unsigned i = 1; i < 40; ++i) {
    std::string before = "A" + std::to_string(i - 1), name = "A" + std::to_string(i);
    text += "if " + before + " + " + before + " > 0 and " + before + " > 0:\n    " + name + " = " +
            before + " + 0\nelse:\n    " + name + " = " + before + " + 2\n";
  }
  IRGenStatistics statistics;
  std::string message =
      runAway(text + "@triton.jit\ndef k(x):\n    tl.store(x, A39)\n", statistics);
  EXPECT_EQ(message, "");
  EXPECT_LT(statistics.steps, 50'000u);
}

// Long tuples and texts cost by their length.
TEST(CostTest, longTuples) {
  for (const char *expr : {"a + [1]", "a[1:]", "a == a", "7 in a", "sum(a)", "min(a)", "any(a)",
                           "list(reversed(a))", "s + 'b'", "t in s", "s.replace('b', 'c')",
                           "s.split(t)", "[*a, 1]", "', '.join(['ab'] * 10000)"}) {
    IRGenStatistics statistics;
    std::string message = runAwayBody(
        std::string("    a: tl.constexpr = [0] * 20000\n    s: tl.constexpr = 'a' * 40000\n"
                    "    t: tl.constexpr = 'a' * 20000 + 'b'\n"
                    "    for i in tl.static_range(50000):\n        v: tl.constexpr = ") +
            expr + "\n",
        statistics);
    EXPECT_NE(message.find("takes more than 100000 steps"), std::string::npos)
        << expr << ": " << message;
    EXPECT_LT(statistics.steps, 300'000u) << expr;
  }
}

// Loops that carry very much are as much as many operations.
TEST(CostTest, carriedTuples) {
  IRGenStatistics statistics;
  std::string message =
      runAwayBody("    v = (tl.program_id(0),) * 60000\n    for i in tl.static_range(3000):\n"
                  "        for j in range(4):\n            v = v[1:] + (j,)\n",
                  statistics);
  EXPECT_NE(message.find("more than"), std::string::npos) << message;
  EXPECT_LT(statistics.ops, 1'000'000u);
}

// Texts in tuples cost as much as they take.
TEST(CostTest, tuplesOfTexts) {
  IRGenStatistics statistics;
  std::string message = runAwayBody("    a = ['']\n    for i in tl.static_range(50000):\n"
                                    "        a = a + ['a' * 60000 + str(i)]\n",
                                    statistics);
  EXPECT_NE(message.find("takes more than 100000 steps"), std::string::npos) << message;
}

// What is copied with every statement costs as well.
TEST(CostTest, copies) {
  for (const char *statement :
       {"w = v", "a, *b = v", "w = [*v]", "if tl.program_id(0) > 2:\n            v = v",
        "w: tl.constexpr = {**d, 'a': 1}", "w: tl.constexpr = d[999]"}) {
    IRGenStatistics statistics;
    std::string message = runAwayBody(
        std::string("    v = (tl.program_id(0),) * 60000\n    d: tl.constexpr = dict_of_many()\n"
                    "    for i in tl.static_range(60000):\n        ") +
            statement + "\n",
        statistics);
    EXPECT_NE(message.find("takes more than 100000 steps"), std::string::npos)
        << statement << ": " << message;
  }
}

// What holds other values is not nested so deep that looking at it takes all of the stack.
TEST(CostTest, depth) {
  for (const char *nested : {"(a,)", "[a, 1]", "{'a': a}", "range(a)", "(lambda: a, {'a': a})"}) {
    IRGenStatistics statistics;
    std::string message = runAway(
        std::string(
            "@triton.constexpr_function\ndef chain():\n    a = 1\n    for i in range(3000):\n"
            "        a = ") +
            nested + "\n    return a\n\n\n@triton.jit\ndef k(x):\n    v: tl.constexpr = chain()\n",
        statistics);
    EXPECT_EQ(message, "a compile-time value is nested more than 256 deep") << nested;
  }
}

TEST(CostTest, sizesOfTuples) {
  IRGenStatistics statistics;
  std::string head = "    a: tl.constexpr = [0] * 60000\n    v: tl.constexpr = ";
  for (const char *expr : {"[a for i in range(60)]", "[*a, *a, *a, *a]", "zip(a, a, a)",
                           "list(enumerate(a))", "[a[:30000] for x in range(3)]"})
    EXPECT_EQ(runAwayBody(head + expr + "\n", statistics), "a tuple of more than 65536 elements")
        << expr;
  EXPECT_EQ(runAwayBody("    v = enumerate((1, 2), (1 << 63) - 1)\n", statistics),
            "the start is too large");
  EXPECT_EQ(runAwayBody("    v = tl.zeros([1] * 65, tl.int32)\n", statistics),
            "a block has at most 64 dimensions, got 65");
}

} // namespace
} // namespace tilec
