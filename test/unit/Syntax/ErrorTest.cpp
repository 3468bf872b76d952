// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Syntax errors: exact text and place of each message, and that parsing goes on behind them.

#include "ParsedText.h"

using namespace tilec;

static std::string errors(llvm::StringRef text) { return ParsedText(text).errors(); }

TEST(Error, expressions) {
  EXPECT_EQ(errors("x = \n"), "1:4 expected an expression, got end of line\n");
  EXPECT_EQ(errors("x = a +"), "1:8 expected an expression, got end of line\n");
  EXPECT_EQ(errors("x = a b\n"), "1:7 expected end of statement, got 'b'\n");
  EXPECT_EQ(errors("x = a 'b'\n"), "1:7 expected end of statement, got a string\n");
  EXPECT_EQ(errors("x = = 1\n"), "1:5 expected an expression, got '='\n");
  EXPECT_EQ(errors("x = for\n"), "1:5 expected an expression, got 'for'\n");
  EXPECT_EQ(errors("a.1\n"), "1:2 expected end of statement, got '.1'\n");
  EXPECT_EQ(errors("a.if\n"), "1:3 expected a name after '.', got 'if'\n");
  EXPECT_EQ(errors("x[]\n"), "1:3 expected an index, got ']'\n");
  EXPECT_EQ(errors("a if b\n"),
            "1:7 expected 'else' in a conditional expression, got end of line\n");
  EXPECT_EQ(errors("lambda x 1\n"), "1:10 expected ',' or ':', got '1'\n");
  EXPECT_EQ(errors("{a: b, c}\n"), "1:9 expected ':' after a dict key, got '}'\n");
  EXPECT_EQ(errors("*a\n"), "1:1 a starred expression needs a tuple or list around it\n");
  EXPECT_EQ(errors("{*a: b}\n"), "1:2 a starred expression cannot be a dict key\n");
  EXPECT_EQ(errors("{a: b, *c: d}\n"), "1:8 a starred expression cannot be a dict key\n");
  EXPECT_EQ(errors("[*a for a in b]\n"),
            "1:2 a starred expression cannot be the element of a comprehension\n");
  EXPECT_EQ(errors("(*a for a in b)\n"),
            "1:2 a starred expression cannot be the element of a comprehension\n");
  EXPECT_EQ(errors("x[*a:2]\n"), "1:3 a starred expression cannot be the bound of a slice\n");
  EXPECT_EQ(errors("(a) := 1\n"), "1:2 the target of ':=' must be a name\n");
  EXPECT_EQ(errors("(a.b := 1)\n"), "1:2 the target of ':=' must be a name\n");
}

TEST(Error, calls) {
  EXPECT_EQ(errors("f(a=1, b)\n"), "1:8 positional argument follows a keyword argument\n");
  EXPECT_EQ(errors("f(a=1, a=2)\n"), "1:8 keyword argument 'a' is given more than once\n");
  EXPECT_EQ(errors("f(1=2)\n"), "1:3 expected a name before '=' in an argument list\n");
  EXPECT_EQ(errors("f(a b)\n"), "1:5 expected ',' or ')', got 'b'\n");
}

TEST(Error, operators_of_other_languages) {
  EXPECT_EQ(errors("a && b\n"), "1:3 '&&' is not an operator, use 'and' or '&'\n");
  EXPECT_EQ(errors("a || b\n"), "1:3 '||' is not an operator, use 'or' or '|'\n");
  EXPECT_EQ(errors("if !a: pass\n"), "1:4 '!' is not an operator, use 'not'\n");
  EXPECT_EQ(errors("x++\n"), "1:4 expected an expression, got end of line\n");
  EXPECT_EQ(errors("if a {\n  b\n}\n"), "1:6 expected ':', got '{'\n3:1 unmatched '}'\n");
}

TEST(Error, assignment_targets) {
  EXPECT_EQ(errors("f(x) = 1\n"), "1:1 cannot assign to a call\n");
  EXPECT_EQ(errors("a + b = 1\n"), "1:1 cannot assign to an expression\n");
  EXPECT_EQ(errors("1 = a\n"), "1:1 cannot assign to a literal\n");
  EXPECT_EQ(errors("a, None = b\n"), "1:4 cannot assign to 'None'\n");
  EXPECT_EQ(errors("*a = b\n"), "1:1 a starred expression needs a tuple or list around it\n");
  EXPECT_EQ(errors("*a, *b = c\n"), "1:5 more than one starred target in an assignment\n");
  EXPECT_EQ(errors("f() += 1\n"), "1:1 cannot use '+=' on a call\n");
  EXPECT_EQ(errors("a, b += 1\n"), "1:1 cannot use '+=' on a tuple or list\n");
  EXPECT_EQ(errors("del f()\n"), "1:5 cannot delete a call\n");
  EXPECT_EQ(errors("del *a,\n"), "1:5 cannot delete a starred expression\n");
  EXPECT_EQ(errors("for f() in x: pass\n"), "1:5 cannot assign to a call\n");
  EXPECT_EQ(errors("[1 for a + b in c]\n"), "1:8 cannot assign to an expression\n");
}

TEST(Error, compound_headers) {
  EXPECT_EQ(errors("if x\n  y\n"), "1:5 expected ':', got end of line\n");
  EXPECT_EQ(errors("if x = 1:\n  y\n"),
            "1:6 expected ':', got '='\n  1:6 a comparison is written '=='\n");
  EXPECT_EQ(errors("if x:\n  y\nelse if z:\n  w\n"),
            "3:6 expected ':', got 'if'\n  3:6 'else if' is written 'elif'\n");
  EXPECT_EQ(errors("for i range(3):\n  y\n"), "1:7 expected 'in', got 'range'\n");
  EXPECT_EQ(errors("while :\n  y\n"), "1:7 expected an expression, got ':'\n");
  EXPECT_EQ(errors("else:\n  y\n"),
            "1:1 'else' without a matching 'if', 'for', 'while' or 'try'\n");
  EXPECT_EQ(errors("try:\n  y\nz\n"), "2:4 expected an 'except' or 'finally' block\n");
  EXPECT_EQ(errors("with a as 1: pass\n"), "1:11 cannot assign to a literal\n");
  EXPECT_EQ(errors("async x\n"), "1:7 expected 'def', 'for' or 'with' after 'async', got 'x'\n");
}

TEST(Error, missing_colon_has_a_fix) {
  ParsedText parsed("if x\n  y\n");
  const Diagnostic &diagnostic = parsed.diagnostics.getDiagnostics().front();
  ASSERT_TRUE(diagnostic.fixIt.has_value());
  EXPECT_EQ(diagnostic.fixIt->replacement, ":");
  EXPECT_EQ(diagnostic.fixIt->range.begin, 4u);
  EXPECT_EQ(diagnostic.category, "syntax");
}

TEST(Error, functions) {
  EXPECT_EQ(errors("def (x): pass\n"), "1:5 expected a function name after 'def', got '('\n");
  EXPECT_EQ(errors("def f: pass\n"), "1:6 expected '(' after the function name, got ':'\n");
  EXPECT_EQ(errors("def f(a, a): pass\n"), "1:10 duplicate parameter 'a'\n");
  EXPECT_EQ(errors("def f(a=1, b): pass\n"),
            "1:12 parameter 'b' without a default follows one with a default\n");
  EXPECT_EQ(errors("def f(*): pass\n"), "1:7 expected a parameter after '*'\n");
  EXPECT_EQ(errors("def f(*, **k): pass\n"), "1:10 expected a parameter after '*'\n");
  EXPECT_EQ(errors("def f(*,): pass\n"), "1:7 expected a parameter after '*'\n");
  EXPECT_EQ(errors("def f(*, a, *): pass\n"), "1:13 misplaced '*' in a parameter list\n");
  EXPECT_EQ(errors("def f(a, *, b=1, c, **d): pass\n"), "");
  EXPECT_EQ(errors("def f(/): pass\n"), "1:7 misplaced '/' in a parameter list\n");
  EXPECT_EQ(errors("def f(*a, *b): pass\n"), "1:11 misplaced '*' in a parameter list\n");
  EXPECT_EQ(errors("def f(**k, a): pass\n"), "1:12 a parameter cannot follow '**k'\n");
  EXPECT_EQ(errors("def f(*a=1): pass\n"), "1:8 parameter 'a' cannot have a default value\n");
  EXPECT_EQ(errors("def f(1): pass\n"), "1:7 expected a parameter name, got '1'\n");
  EXPECT_EQ(errors("@jit\nx = 1\n"), "1:2 expected a function or class after this decorator\n");
}

TEST(Error, imports) {
  EXPECT_EQ(errors("import 1\n"), "1:8 expected a module name, got '1'\n");
  EXPECT_EQ(errors("from a b\n"), "1:8 expected 'import' after the module name, got 'b'\n");
  EXPECT_EQ(errors("from a import\n"), "1:14 expected a name to import, got end of line\n");
  EXPECT_EQ(errors("import a as 1\n"), "1:13 expected a name after 'as', got '1'\n");
}

TEST(Error, indentation) {
  EXPECT_EQ(errors("if a:\nb\n"), "1:6 expected an indented block after 'if' on line 1\n");
  EXPECT_EQ(errors("def f():\n"), "1:9 expected an indented block after 'def' on line 1\n");
  EXPECT_EQ(errors("a\n  b\n"), "2:3 unexpected indent\n");
  EXPECT_EQ(errors("  a\n"), "1:3 unexpected indent\n");
  EXPECT_EQ(errors("if a:\n    b\n  c\n"),
            "3:3 unindent does not match any outer indentation level\n");
  EXPECT_EQ(errors("if a:\n    b\n  else:\n    c\n"),
            "3:3 unindent does not match any outer indentation level\n");
}

TEST(Error, tabs_and_spaces) {
  EXPECT_EQ(errors("if a:\n\tb\n        c\n"),
            "3:1 inconsistent use of tabs and spaces in indentation\n");
  EXPECT_EQ(errors("if a:\n        if b:\n\t\tc\n"),
            "3:1 inconsistent use of tabs and spaces in indentation\n");
  EXPECT_EQ(errors("if a:\n\tif b:\n\t\tc\n\td\n"), "") << "tabs alone are fine";
}

TEST(Error, brackets) {
  EXPECT_EQ(errors("x = f(a\ny = 1\nz = 2\n"), "1:6 '(' was never closed\n");
  EXPECT_EQ(errors("x = [a, b\n"), "1:5 '[' was never closed\n");
  EXPECT_EQ(errors("x = f(a,\n      b\n      c)\n"), "3:7 expected ',' or ')', got 'c'\n");
  EXPECT_EQ(errors("x = a)\n"), "1:6 unmatched ')'\n");
  EXPECT_EQ(errors("x = (a]\n"),
            "1:7 closing ']' does not match opening '('\n  1:5 '(' is opened here\n");
  EXPECT_EQ(errors("def f(a, b\n  return a\n"), "1:6 '(' was never closed\n");
}

TEST(Error, lexical) {
  EXPECT_EQ(errors("x = 'abc\n"), "1:5 unterminated string\n");
  EXPECT_EQ(errors("x = '''abc\ny\n"), "1:5 unterminated triple-quoted string\n");
  EXPECT_EQ(errors("x = 0b12\n"), "1:8 invalid digit '2' in a binary number\n");
  EXPECT_EQ(errors("x = $y\n"), "1:5 unexpected character '$'\n");
}

TEST(Recovery, several_errors_in_one_file) {
  EXPECT_EQ(errors("@triton.jit\n"
                   "def f(a):\n"
                   "    x = = 1\n"
                   "    y = f(a\n"
                   "    z = 'abc\n"
                   "    for i in range(3)\n"
                   "        w = a b\n"
                   "    return a\n"
                   "def g(:\n"
                   "    x = 1 +\n"
                   "class A\n"),
            "3:9 expected an expression, got '='\n"
            "4:10 '(' was never closed\n"
            "5:9 unterminated string\n"
            "6:22 expected ':', got end of line\n"
            "7:15 expected end of statement, got 'b'\n"
            "9:7 expected a parameter name, got ':'\n"
            "10:12 expected an expression, got end of line\n"
            "11:8 expected ':', got end of line\n");
}

TEST(Recovery, good_statements_are_kept) {
  ParsedText parsed("@jit\ndef f(a):\n  x = 1\n  y = = 2\n  return x\n");
  EXPECT_EQ(parsed.diagnostics.getNumErrors(), 1u);
  ASSERT_NE(parsed.module->findJitFunction("f"), nullptr);
  EXPECT_EQ(parsed.module->findJitFunction("f")->body.size(), 2u);
}

TEST(Recovery, no_cascade_from_a_broken_call_over_lines) {
  EXPECT_EQ(errors("x = f(a b,\n      c,\n)\ny = 1\n"), "1:9 expected ',' or ')', got 'b'\n");
}

TEST(Recovery, error_limit) {
  std::string text;
  for (int i = 0; i != 100; ++i)
    text += "x = = 1\n";
  ParsedText parsed(text);
  EXPECT_EQ(parsed.diagnostics.getDiagnostics().size(), 21u);
  EXPECT_EQ(parsed.diagnostics.getDiagnostics().back().message,
            "too many errors, stopping after 20");
}

TEST(Error, files_that_are_no_source) {
  EXPECT_EQ(errors(""), "1:1 no kernel: the file is empty\n");
  EXPECT_EQ(errors("# only a comment\n\n"), "1:1 no kernel: the file is empty\n");
  EXPECT_EQ(ParsedText("", "k.py").errors(), "1:1 no kernel: the file is empty\n");
  ParsedText binary(llvm::StringRef("x = 1\n\0\1", 8));
  EXPECT_EQ(binary.errors(), "2:1 not a text file: a NUL byte at byte offset 6\n");
  EXPECT_EQ(binary.module, nullptr);
  EXPECT_EQ(errors("x = '\xFF'\n"), "1:6 not a text file: invalid UTF-8 at byte offset 5\n");
  SourceManager sources;
  DiagnosticEngine diagnostics;
  EXPECT_EQ(parseModule(sources, 7, diagnostics), nullptr);
  EXPECT_EQ(diagnostics.getDiagnostics().front().message, "no source file with the number 7");
}
