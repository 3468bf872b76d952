// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which names a module binds, and how parameters are annotated.

#include "tilec/Sema/ModuleScope.h"
#include "tilec/Syntax/Parser.h"

#include <gtest/gtest.h>

namespace tilec {
namespace {

struct Parsed {
  SourceManager sources;
  DiagnosticEngine diagnostics;
  std::unique_ptr<ast::Module> module;

  explicit Parsed(llvm::StringRef text) {
    module = parseModule(sources, llvm::cantFail(sources.addBuffer("t.py", text)), diagnostics);
  }
};

TEST(ModuleScopeTest, imports) {
  Parsed parsed("import triton\nimport triton.language as tl\nimport a.b\n"
                "from triton.language.extra import libdevice as ld\nfrom .x import y\n"
                "from triton.language import *\n");
  ModuleScope scope(*parsed.module);
  EXPECT_EQ(scope.find("tl")->path, "triton.language");
  EXPECT_EQ(scope.find("triton")->path, "triton");
  EXPECT_EQ(scope.find("a")->path, "a");
  EXPECT_EQ(scope.find("ld")->member, "libdevice");
  EXPECT_EQ(scope.find("y")->path, ".x");
  ASSERT_EQ(scope.getStarImports().size(), 1u);
  EXPECT_EQ(scope.find("nothing"), nullptr);
}

TEST(ModuleScopeTest, firstAlternativeAndLastDefinitionWin) {
  Parsed parsed("try:\n    from m1 import f\nexcept ImportError:\n    from m2 import f\n"
                "X = 1\nX = 2\nA, B = 3, 4\n");
  ModuleScope scope(*parsed.module);
  EXPECT_EQ(scope.find("f")->path, "m1");
  EXPECT_EQ(llvm::cast<ast::IntLiteral>(scope.find("X")->value)->spelling, "2");
  EXPECT_EQ(scope.find("B")->index, 1);
}

TEST(ModuleScopeTest, kernelsInsideHostFunctionsAreFound) {
  Parsed parsed("import triton\ndef host():\n    @triton.jit\n    def inner(x):\n"
                "        return x\n    return inner\n");
  ModuleScope scope(*parsed.module);
  ASSERT_NE(scope.find("inner"), nullptr);
  EXPECT_TRUE(scope.find("inner")->function->isJit);
}

TEST(ModuleScopeTest, annotations) {
  Parsed parsed("import triton\n@triton.jit\n"
                "def k(a, b: tl.constexpr, c: 'tl.constexpr', d: '*fp32', e: tl.int32, f: int):\n"
                "    pass\n");
  std::vector<std::pair<ParamAnnotation::Kind, std::string>> kinds;
  for (const ast::Param &param : parsed.module->findJitFunction("k")->params) {
    ParamAnnotation annotation = classifyAnnotation(param.annotation);
    kinds.emplace_back(annotation.kind, annotation.typeText);
  }
  using Kind = ParamAnnotation::Kind;
  std::vector<std::pair<Kind, std::string>> expected = {
      {Kind::Plain, ""},      {Kind::Constexpr, ""},  {Kind::Constexpr, ""},
      {Kind::Typed, "*fp32"}, {Kind::Typed, "int32"}, {Kind::Plain, ""}};
  EXPECT_EQ(kinds, expected);
}

} // namespace
} // namespace tilec
