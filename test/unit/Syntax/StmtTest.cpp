// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements: the tree of every form, and the facts that functions carry.

#include "ParsedText.h"

using namespace tilec;

/// The dump of the statements; errors when there are any.
static std::string tree(llvm::StringRef text) {
  ParsedText parsed(text);
  return parsed.diagnostics.hasErrors() ? parsed.errors() : parsed.tree();
}

TEST(Stmt, assignments) {
  EXPECT_EQ(tree("a = b = 1"), "Assign\n"
                               "  target: Name a\n"
                               "  target: Name b\n"
                               "  value: IntLiteral 1\n");
  EXPECT_EQ(tree("a, (b, *c) = d"), "Assign\n"
                                    "  target: Tuple\n"
                                    "    Name a\n"
                                    "    Tuple\n"
                                    "      Name b\n"
                                    "      Starred\n"
                                    "        Name c\n"
                                    "  value: Name d\n");
  EXPECT_EQ(tree("a: tl.constexpr = 1"), "AnnAssign\n"
                                         "  target: Name a\n"
                                         "  annotation: Attribute .constexpr\n"
                                         "    Name tl\n"
                                         "  value: IntLiteral 1\n");
  EXPECT_EQ(tree("a: int"), "AnnAssign\n  target: Name a\n  annotation: Name int\n");
}

TEST(Stmt, augmented_assignments) {
  for (const char *op : {"+", "-", "*", "@", "/", "//", "%", "**", "<<", ">>", "&", "|", "^"})
    EXPECT_EQ(tree(std::string("a ") + op + "= b"),
              std::string("AugAssign ") + op + "=\n  target: Name a\n  value: Name b\n");
}

TEST(Stmt, simple_statements) {
  EXPECT_EQ(tree("pass; break; continue"), "Pass\nBreak\nContinue\n");
  EXPECT_EQ(tree("return"), "Return\n");
  EXPECT_EQ(tree("return a, b"), "Return\n  Tuple\n    Name a\n    Name b\n");
  EXPECT_EQ(tree("assert a, 'm'"), "Assert\n  condition: Name a\n  message: StringLiteral \"m\"\n");
  EXPECT_EQ(tree("raise E from c"), "Raise\n  exception: Name E\n  cause: Name c\n");
  EXPECT_EQ(tree("del a, b[0]"), "Delete\n"
                                 "  Name a\n"
                                 "  Subscript\n"
                                 "    base: Name b\n"
                                 "    index: IntLiteral 0\n");
  EXPECT_EQ(tree("global a, b"), "Scope global a b\n");
  EXPECT_EQ(tree("nonlocal a"), "Scope nonlocal a\n");
  EXPECT_EQ(tree("a;"), "Expr\n  Name a\n");
}

TEST(Stmt, imports) {
  EXPECT_EQ(tree("import a.b as c, d"), "Import a.b as c, d\n");
  EXPECT_EQ(tree("from a.b import c as d, e"), "ImportFrom a.b import c as d, e\n");
  EXPECT_EQ(tree("from . import *"), "ImportFrom . import *\n");
  EXPECT_EQ(tree("from ...a import (b,\n c,)"), "ImportFrom ...a import b, c\n");
}

TEST(Stmt, if_chain) {
  EXPECT_EQ(tree("if a:\n  x\nelif b: y\nelse:\n  z\n"), "If\n"
                                                         "  condition: Name a\n"
                                                         "  then\n"
                                                         "    Expr\n"
                                                         "      Name x\n"
                                                         "  else\n"
                                                         "    If elif\n"
                                                         "      condition: Name b\n"
                                                         "      then\n"
                                                         "        Expr\n"
                                                         "          Name y\n"
                                                         "      else\n"
                                                         "        Expr\n"
                                                         "          Name z\n");
}

TEST(Stmt, else_belongs_to_the_block_of_its_indentation) {
  EXPECT_EQ(tree("if a:\n  if b:\n    x\nelse:\n  y\n"), "If\n"
                                                         "  condition: Name a\n"
                                                         "  then\n"
                                                         "    If\n"
                                                         "      condition: Name b\n"
                                                         "      then\n"
                                                         "        Expr\n"
                                                         "          Name x\n"
                                                         "  else\n"
                                                         "    Expr\n"
                                                         "      Name y\n");
}

TEST(Stmt, loops) {
  EXPECT_EQ(tree("for i, j in x: pass\nelse: pass"), "For\n"
                                                     "  target: Tuple\n"
                                                     "    Name i\n"
                                                     "    Name j\n"
                                                     "  iter: Name x\n"
                                                     "  body\n"
                                                     "    Pass\n"
                                                     "  else\n"
                                                     "    Pass\n");
  EXPECT_EQ(tree("while (n := f()) > 0:\n  pass"), "While\n"
                                                   "  condition: Compare >\n"
                                                   "    NamedExpr\n"
                                                   "      target: Name n\n"
                                                   "      value: Call\n"
                                                   "        callee: Name f\n"
                                                   "    IntLiteral 0\n"
                                                   "  body\n"
                                                   "    Pass\n");
}

TEST(Stmt, with) {
  const char *expected = "With\n"
                         "  context: Name a\n"
                         "  as: Name b\n"
                         "  context: Name c\n"
                         "  body\n"
                         "    Pass\n";
  EXPECT_EQ(tree("with a as b, c: pass"), expected);
  EXPECT_EQ(tree("with (a as b, c,): pass"), expected);
  EXPECT_EQ(tree("with (a): pass"), "With\n  context: Name a\n  body\n    Pass\n");
  EXPECT_EQ(tree("with (a).b: pass"),
            "With\n  context: Attribute .b\n    Name a\n  body\n    Pass\n");
}

TEST(Stmt, try_forms) {
  EXPECT_EQ(tree("try: a\nexcept E as e: b\nexcept: c\nelse: d\nfinally: f\n"),
            "Try\n"
            "  body\n    Expr\n      Name a\n"
            "  except as e\n    type: Name E\n    body\n      Expr\n        Name b\n"
            "  except\n    body\n      Expr\n        Name c\n"
            "  else\n    Expr\n      Name d\n"
            "  finally\n    Expr\n      Name f\n");
}

TEST(Stmt, constructs_without_a_meaning) {
  EXPECT_EQ(tree("match x:\n  case 1: y\n  case [a, *b] if c: z\nw = 1\n"),
            "Unsupported \"match\"\nAssign\n  target: Name w\n  value: IntLiteral 1\n");
  EXPECT_EQ(tree("match = 1\nmatch(x)\nmatch[0]: int\n").substr(0, 6), "Assign") << "a plain name";
  EXPECT_EQ(tree("async for i in x:\n  y\n"), "Unsupported \"async for\"\n");
  EXPECT_EQ(tree("async for i in x:\n  y\nelse:\n  z\n"), "Unsupported \"async for\"\n");
  EXPECT_EQ(tree("async with a: b\n"), "Unsupported \"async with\"\n");
  EXPECT_EQ(tree("type X[T] = int\n"), "Unsupported \"type\"\n");
  EXPECT_EQ(tree("type = 1\n").substr(0, 6), "Assign");
}

TEST(Stmt, function) {
  EXPECT_EQ(tree("def f(a, /, b: int = 1, *, c, **d) -> e:\n  'doc'\n  return a\n"),
            "FunctionDef f\n"
            "  Param a positional-only\n"
            "  Param b\n"
            "    annotation: Name int\n"
            "    default: IntLiteral 1\n"
            "  Param c keyword-only\n"
            "  Param d **\n"
            "  returns: Name e\n"
            "  body\n"
            "    Expr\n"
            "      StringLiteral \"doc\"\n"
            "    Return\n"
            "      Name a\n");
  ParsedText parsed("def f():\n  'doc'\n");
  EXPECT_EQ(parsed.get<ast::FunctionDef>()->docstring->value, "doc");
}

TEST(Stmt, class_definition) {
  EXPECT_EQ(tree("@d\nclass A(B, m=C):\n  x: int = 1\n  def f(self): pass\n"),
            "ClassDef A\n"
            "  decorator: Name d\n"
            "  base: Name B\n"
            "  m=: Name C\n"
            "  body\n"
            "    AnnAssign\n"
            "      target: Name x\n"
            "      annotation: Name int\n"
            "      value: IntLiteral 1\n"
            "    FunctionDef f\n"
            "      Param self\n"
            "      body\n"
            "        Pass\n");
}

TEST(Stmt, dedent_over_several_levels_and_comments) {
  EXPECT_EQ(tree("if a:\n  if b:\n      x\n# comment\n\n      # another\n  y\nz\n"),
            "If\n"
            "  condition: Name a\n"
            "  then\n"
            "    If\n"
            "      condition: Name b\n"
            "      then\n"
            "        Expr\n"
            "          Name x\n"
            "    Expr\n"
            "      Name y\n"
            "Expr\n"
            "  Name z\n");
}

TEST(Decorators, forms_of_jit) {
  auto isJit = [](llvm::StringRef decorator) {
    ParsedText parsed((decorator + "\ndef f(): pass\n").str());
    EXPECT_EQ(parsed.errors(), "");
    return parsed.get<ast::FunctionDef>()->isJit;
  };
  EXPECT_TRUE(isJit("@jit"));
  EXPECT_TRUE(isJit("@triton.jit"));
  EXPECT_TRUE(isJit("@triton.jit()"));
  EXPECT_TRUE(isJit("@t.x.jit(do_not_specialize=['n'])"));
  EXPECT_TRUE(isJit("@triton.autotune(configs=[], key=[])\n@triton.jit"));
  EXPECT_FALSE(isJit("@jitter"));
  EXPECT_FALSE(isJit("@torch.jit.script"));
  EXPECT_FALSE(isJit("@f[jit]"));
}

TEST(Decorators, noinline_and_constexpr_function) {
  ParsedText parsed("@triton.jit(noinline=True)\ndef f(): pass\n"
                    "@triton.jit(noinline=False)\ndef g(): pass\n"
                    "@triton.constexpr_function\ndef h(): pass\n");
  EXPECT_TRUE(parsed.get<ast::FunctionDef>(0)->noinline);
  EXPECT_FALSE(parsed.get<ast::FunctionDef>(1)->noinline);
  EXPECT_TRUE(parsed.get<ast::FunctionDef>(2)->isConstexprFunction);
  EXPECT_FALSE(parsed.get<ast::FunctionDef>(2)->isJit);
  EXPECT_EQ(parsed.module->deviceFunctions.size(), 3u);
}

TEST(Decorators, last_definition_is_found) {
  ParsedText parsed("@jit\ndef f(a): pass\n@jit\ndef f(b): pass\ndef g(): pass\n");
  ASSERT_NE(parsed.module->findJitFunction("f"), nullptr);
  EXPECT_EQ(parsed.module->findJitFunction("f")->params[0].name, "b");
  EXPECT_EQ(parsed.module->findJitFunction("g"), nullptr);
}

TEST(Decorators, ranges) {
  ParsedText parsed("@jit\ndef f(a: int = 1): return a\n");
  const auto *function = parsed.get<ast::FunctionDef>();
  EXPECT_EQ(parsed.sources.getText(function->range), "@jit\ndef f(a: int = 1): return a");
  EXPECT_EQ(parsed.sources.getText(function->headerRange), "def f(a: int = 1)");
  EXPECT_EQ(parsed.sources.getText(function->nameRange), "f");
  EXPECT_EQ(parsed.sources.getText(function->params[0].range), "a: int = 1");
}

TEST(Stmt, parents) {
  ParsedText parsed("class A:\n  @jit\n  def f(self):\n    def g(): pass\n");
  const auto *classDef = parsed.get<ast::ClassDef>();
  const auto *method = llvm::cast<ast::FunctionDef>(classDef->body[0]);
  EXPECT_EQ(method->parent, classDef);
  EXPECT_EQ(llvm::cast<ast::FunctionDef>(method->body[0])->parent, method);
}
