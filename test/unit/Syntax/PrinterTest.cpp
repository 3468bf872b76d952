// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Printing: source text with the fewest parentheses, and the dump with locations.

#include "ParsedText.h"

using namespace tilec;

static std::string print(llvm::StringRef text) {
  SourceManager sources;
  DiagnosticEngine diagnostics;
  FileId file = llvm::cantFail(sources.addBuffer("expr", text));
  ParsedExpr parsed = parseExpression(sources, file, diagnostics);
  return parsed.expr ? ast::printSource(parsed.expr) : renderDiagnostics(sources, diagnostics);
}

TEST(PrintSource, what_is_printed_as_it_was_written) {
  for (const char *text : {"x",
                           "1_000",
                           "0xFF",
                           "1.5e-3",
                           "True",
                           "None",
                           "...",
                           "'it\\'s\\n'",
                           "b'\\xff'",
                           "(a, b)",
                           "(a,)",
                           "()",
                           "[a, *b]",
                           "{a, b}",
                           "{a: b, **c}",
                           "x.y.z",
                           "(1).real",
                           "f(a, *b, c=d, **e)",
                           "x[:, None]",
                           "x[a:b:c]",
                           "x[::2]",
                           "x[a,]",
                           "x[(a, b)]",
                           "-a ** -b",
                           "(-a) ** b",
                           "(a ** b) ** c",
                           "a ** b ** c",
                           "(a + b) * c",
                           "a - (b - c)",
                           "not a and b or c",
                           "(a or b) and c",
                           "a < b < c",
                           "(a < b) < c",
                           "a is not b",
                           "a not in b",
                           "a if b else c if d else e",
                           "(a if b else c) if d else e",
                           "(a, (b := c))",
                           "lambda: x",
                           "lambda a, /, b=1, *c, d, **e: a",
                           "lambda *, a: a",
                           "[x for x in y if z if w]",
                           "{k: v for k, v in x}",
                           "(x for x in y)",
                           "f'a{b!r:>{w}}{{c}}'",
                           "(lambda: x)()",
                           "~(a & b) | c ^ d",
                           "a << (b >> c)",
                           "(not a) == b",
                           "[a if b else c for d in (e if f else g)]",
                           "x[(a := b)]"}) {
    std::string printed = print(text);
    // Parentheses that the grammar does not need may go, never the structure.
    EXPECT_EQ(print(printed), printed);
    EXPECT_EQ(exprTree(printed), exprTree(text)) << text;
  }
}

TEST(PrintSource, parentheses) {
  EXPECT_EQ(print("((a) + (b * c))"), "a + b * c");
  EXPECT_EQ(print("(a + b) * c"), "(a + b) * c");
  EXPECT_EQ(print("(a - b) - c"), "a - b - c");
  EXPECT_EQ(print("a - (b - c)"), "a - (b - c)");
  EXPECT_EQ(print("(-a) ** b"), "(-a) ** b");
  EXPECT_EQ(print("(a,b)"), "(a, b)");
  EXPECT_EQ(print("a,b"), "(a, b)");
}

TEST(PrintTree, locations) {
  ParsedText parsed("@jit\ndef f(x):\n    return x + 1\n");
  EXPECT_EQ(ast::printTree(*parsed.module, &parsed.sources), "Module\n"
                                                             "  FunctionDef f jit <1:1>\n"
                                                             "    decorator: Name jit <1:2>\n"
                                                             "    Param x <2:7>\n"
                                                             "    body\n"
                                                             "      Return <3:5>\n"
                                                             "        Binary + <3:12>\n"
                                                             "          Name x <3:12>\n"
                                                             "          IntLiteral 1 <3:16>\n");
}

TEST(PrintTree, control_characters_are_escaped) {
  EXPECT_EQ(exprTree("'a\\n\\x00\"'"), "StringLiteral \"a\\0A\\00\\22\"\n");
}
