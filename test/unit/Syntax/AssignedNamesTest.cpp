// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scans for assigned and used names and for jumps.

#include "tilec/Syntax/AssignedNames.h"

#include "ParsedText.h"

using namespace tilec;

static std::string join(const ast::NameSet &names) {
  std::string text;
  for (llvm::StringRef name : names)
    text += (text.empty() ? "" : " ") + name.str();
  return text;
}

static std::string assigned(llvm::StringRef text) {
  ParsedText parsed(text);
  EXPECT_EQ(parsed.errors(), "");
  ast::NameSet names;
  ast::collectAssignedNames(parsed.module->body, names);
  return join(names);
}

static std::string used(llvm::StringRef text) {
  ParsedText parsed(text);
  EXPECT_EQ(parsed.errors(), "");
  ast::NameSet names;
  ast::collectUsedNames(parsed.module->body, names);
  return join(names);
}

TEST(AssignedNames, targets) {
  EXPECT_EQ(assigned("a = 1\nb, (c, *d) = x\ne = f = y\n[g] = z\n"), "a b c d e f g");
  EXPECT_EQ(assigned("a += 1\nb: int = 2\nc: int\n"), "a b");
  EXPECT_EQ(assigned("x[i] = 1\ny.f = 2\nx[i] += 3\nz.g.h += 4\n"), "y z");
  EXPECT_EQ(assigned("a = 1\nb = 2\na = 3\n"), "a b") << "first assignment decides the order";
}

TEST(AssignedNames, nested_statements) {
  EXPECT_EQ(assigned("for i in x:\n  a = 1\n  if c:\n    b = 2\n  elif d:\n    e = 3\n  else:\n"
                     "    f = 4\nelse:\n  g = 5\n"),
            "i a b e f g");
  EXPECT_EQ(assigned("while c:\n  a = 1\nwith x as (y, z):\n  b = 2\n"), "a y z b");
  EXPECT_EQ(assigned("try:\n  a = 1\nexcept E as e:\n  b = 2\nfinally:\n  c = 3\n"), "a e b c");
  EXPECT_EQ(assigned("del a\nimport b.c, d as e\nfrom f import g, h as i, j\n"), "a b e g i j");
}

TEST(AssignedNames, walrus) {
  EXPECT_EQ(assigned("x = (a := 1) + f(b := 2)\n"), "a b x");
  EXPECT_EQ(assigned("while (n := f()) > 0: pass\n"), "n");
  EXPECT_EQ(assigned("x[(i := 0)] = 1\n"), "i");
  EXPECT_EQ(assigned("[(y := x) for x in z]\n"), "y") << "the loop variable stays inside";
}

TEST(AssignedNames, inner_scopes_stay_inside) {
  EXPECT_EQ(assigned("def f():\n  a = 1\nclass C:\n  b = 2\ng = lambda: (h := 1)\n"), "f C g");
}

TEST(UsedNames, reads) {
  EXPECT_EQ(used("a = b + c\nd.e = f\ng[h] = i\n"), "b c f d i g h");
  EXPECT_EQ(used("a += b\n"), "a b");
  EXPECT_EQ(used("for i in range(n):\n  x = i\n"), "range n i");
  EXPECT_EQ(used("x: t = y\n"), "y t");
  EXPECT_EQ(used("f(a, k=b)\n"), "f a b");
}

TEST(Jumps, returns) {
  auto has = [](llvm::StringRef text) {
    return ast::containsReturn(ParsedText(text).module->body);
  };
  EXPECT_TRUE(has("if a:\n  for i in x:\n    return\n"));
  EXPECT_FALSE(has("a = 1\ndef f():\n  return\n"));
}

TEST(Jumps, break_and_continue) {
  auto has = [](llvm::StringRef text) {
    return ast::containsBreakOrContinue(ParsedText(text).module->body);
  };
  EXPECT_TRUE(has("if a:\n  break\n"));
  EXPECT_TRUE(has("if a:\n  pass\nelse:\n  continue\n"));
  EXPECT_FALSE(has("while a:\n  break\n")) << "stays in its loop";
  EXPECT_TRUE(has("while a:\n  pass\nelse:\n  break\n"));
}
