// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Python files: what is kept of host code, what is skipped, and that only kernels can have errors.

#include "ParsedText.h"

using namespace tilec;

static ParsedText python(llvm::StringRef text) { return ParsedText(text, "k.py"); }

/// The names of the device functions in order.
static std::string deviceNames(const ParsedText &parsed) {
  std::string names;
  for (const ast::FunctionDef *function : parsed.module->deviceFunctions)
    names += function->name.str() + " ";
  return names;
}

TEST(HostCode, language_by_name) {
  EXPECT_EQ(getSourceLanguage("a/b.py"), SourceLanguage::Python);
  EXPECT_EQ(getSourceLanguage("b.tile"), SourceLanguage::Tile);
  EXPECT_EQ(getSourceLanguage("-"), SourceLanguage::Tile);
}

TEST(HostCode, typical_file) {
  auto parsed = python("import torch\n"
                       "import triton.language as tl\n"
                       "BLOCK = tl.constexpr(128)\n"
                       "@triton.jit\n"
                       "def add(x, n, BLOCK: tl.constexpr):\n"
                       "    return x\n"
                       "\n"
                       "def launch(x):\n"
                       "    add[(1,)](x)\n"
                       "torch.manual_seed(0)\n"
                       "if __name__ == '__main__':\n"
                       "    launch(1)\n");
  EXPECT_EQ(parsed.errors(), "");
  EXPECT_EQ(parsed.tree(), "Import torch\n"
                           "Import triton.language as tl\n"
                           "Assign\n"
                           "  target: Name BLOCK\n"
                           "  value: Call\n"
                           "    callee: Attribute .constexpr\n"
                           "      Name tl\n"
                           "    arg: IntLiteral 128\n"
                           "FunctionDef add jit\n"
                           "  decorator: Attribute .jit\n"
                           "    Name triton\n"
                           "  Param x\n"
                           "  Param n\n"
                           "  Param BLOCK\n"
                           "    annotation: Attribute .constexpr\n"
                           "      Name tl\n"
                           "  body\n"
                           "    Return\n"
                           "      Name x\n"
                           "FunctionDef launch body-skipped\n"
                           "  Param x\n"
                           "If\n"
                           "  condition: Compare ==\n"
                           "    Name __name__\n"
                           "    StringLiteral \"__main__\"\n");
}

TEST(HostCode, no_errors_from_odd_host_code) {
  auto parsed = python("match x:\n    case {'a': 1, **rest}: pass\n"
                       "print 'python 2'\n"
                       "exec 'x' in y\n"
                       "def f(a, (b, c)):\n    return <> ???\n"
                       "x = 5 if\n"
                       "class A(:\n    y = $\n"
                       "else:\n    z = 1\n"
                       "@triton.jit\n"
                       "def k(x): pass\n");
  EXPECT_EQ(parsed.errors(), "");
  EXPECT_EQ(deviceNames(parsed), "k ");
}

TEST(HostCode, errors_in_kernels_count) {
  auto parsed = python("x = = 1\n"
                       "@triton.jit\n"
                       "def k(x):\n"
                       "    y = = x\n"
                       "    z = f(x\n"
                       "y = = 2\n"
                       "@triton.jit\n"
                       "def l(x): return x x\n");
  EXPECT_EQ(parsed.errors(), "4:9 expected an expression, got '='\n"
                             "5:10 '(' was never closed\n"
                             "8:20 expected end of statement, got 'x'\n");
}

TEST(HostCode, text_in_strings_and_brackets_is_no_code) {
  auto parsed = python("DOC = '''\n@triton.jit\ndef fake(x): pass\n'''\n"
                       "X = [\n1,\n2]\n"
                       "# @triton.jit\n"
                       "s = f'{a}' 'don\\'t' \"# no comment\"\n"
                       "@triton.jit\ndef k(): pass\n");
  EXPECT_EQ(parsed.errors(), "");
  EXPECT_EQ(deviceNames(parsed), "k ");
  EXPECT_EQ(parsed.module->body.size(), 4u);
}

TEST(HostCode, unclosed_bracket_does_not_swallow_kernels) {
  auto parsed = python("x = foo(1,\n@triton.jit\ndef k(): pass\n");
  EXPECT_EQ(deviceNames(parsed), "k ");
}

TEST(HostCode, kernels_inside_host_code) {
  auto parsed = python("try:\n    import triton\nexcept ImportError:\n    triton = None\n"
                       "if HAS:\n    @triton.jit\n    def a(): pass\n"
                       "else:\n    @triton.jit\n    def b(): pass\n"
                       "def host():\n    if x:\n        @triton.jit\n        def c(): pass\n"
                       "        return c\n"
                       "class C:\n    f: int\n    @triton.jit\n    def d(self): pass\n"
                       "    def e(self): pass\n"
                       "for i in range(3):\n    @triton.jit\n    def g(): pass\n"
                       "with x:\n    @triton.jit\n    def h(): pass\n");
  EXPECT_EQ(parsed.errors(), "");
  EXPECT_EQ(deviceNames(parsed), "a b c d g h ");
  EXPECT_EQ(llvm::cast<ast::FunctionDef>(parsed.module->deviceFunctions[2]->parent)->name, "host");
  EXPECT_EQ(llvm::cast<ast::ClassDef>(parsed.module->deviceFunctions[3]->parent)->name, "C");
}

TEST(HostCode, module_level_kernel_is_preferred) {
  auto parsed = python("def host():\n    @jit\n    def k(a): pass\n"
                       "@jit\ndef k(b): pass\n"
                       "def other():\n    @jit\n    def k(c): pass\n");
  EXPECT_EQ(parsed.module->findJitFunction("k")->params[0].name, "b");
}

TEST(HostCode, jit_of_other_packages_is_host_code) {
  auto parsed = python("import numba\nimport jax as j\nfrom numba import jit as njit\n"
                       "@numba.jit\ndef a(): = \n"
                       "@j.jit\ndef b(): = \n"
                       "@njit\ndef c(): = \n"
                       "@triton.jit\ndef d(): pass\n");
  EXPECT_EQ(parsed.errors(), "");
  EXPECT_EQ(deviceNames(parsed), "d ");
}

TEST(HostCode, malformed_decorator_of_a_kernel) {
  auto parsed = python("@triton.autotune(configs=[)\n@triton.jit\ndef k(): pass\n");
  EXPECT_EQ(parsed.errors(), "1:27 closing ')' does not match opening '['\n"
                             "  1:26 '[' is opened here\n");
}

TEST(HostCode, multi_line_decorators) {
  auto parsed =
      python("@triton.autotune(\n    configs=[\n        triton.Config({'B': 1}),\n    ],\n"
             "    key=['n'],\n)\n@triton.jit\ndef k(\n    x,\n    n,\n):\n    pass\n");
  EXPECT_EQ(parsed.errors(), "");
  EXPECT_EQ(deviceNames(parsed), "k ");
  EXPECT_EQ(parsed.module->deviceFunctions[0]->decorators.size(), 2u);
}

TEST(HostCode, skipped_body_can_be_parsed_later) {
  auto parsed = python("def helper(a, b=2):\n    'doc'\n    return a + b\n");
  auto *function = const_cast<ast::FunctionDef *>(parsed.get<ast::FunctionDef>());
  ASSERT_TRUE(function->bodySkipped);
  EXPECT_TRUE(function->body.empty());
  EXPECT_EQ(function->params.size(), 2u);
  EXPECT_TRUE(parseSkippedBody(parsed.sources, *parsed.module, *function, parsed.diagnostics));
  EXPECT_FALSE(function->bodySkipped);
  EXPECT_EQ(function->body.size(), 2u);
  EXPECT_EQ(function->docstring->value, "doc");
}

TEST(HostCode, skipped_body_with_errors_stays_skipped) {
  auto parsed = python("class A:\n    def helper(a):\n        return = a\n");
  auto *function = llvm::cast<ast::FunctionDef>(parsed.get<ast::ClassDef>()->body[0]);
  EXPECT_FALSE(parseSkippedBody(parsed.sources, *parsed.module, *function, parsed.diagnostics));
  EXPECT_TRUE(function->bodySkipped);
  EXPECT_EQ(parsed.errors(), "3:16 expected an expression, got '='\n");
}

TEST(HostCode, line_ends_of_other_systems) {
  auto parsed = python(
      "\xEF\xBB\xBFimport a\r\n@jit\r\ndef k(x):\r\n    y = (x,\r\n    x)\r\n    return y\r\n");
  EXPECT_EQ(parsed.errors(), "");
  EXPECT_EQ(deviceNames(parsed), "k ");
  EXPECT_EQ(parsed.module->deviceFunctions[0]->body.size(), 2u);
}
