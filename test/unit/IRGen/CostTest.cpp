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
  expectLinear(measure(repeat(10)), measure(repeat(30)));
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
  expectLinear(measure(repeat(10)), measure(repeat(30)));
}

} // namespace
} // namespace tilec
