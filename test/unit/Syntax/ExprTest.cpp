// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions: how operators group, and the tree of every form.

#include "ParsedText.h"

#include "tilec/Syntax/Walk.h"

using namespace tilec;

static std::string group(const ast::Expr *expr) {
  if (const auto *node = llvm::dyn_cast<ast::Binary>(expr))
    return "(" + group(node->lhs) + ast::getSpelling(node->op).str() + group(node->rhs) + ")";
  if (const auto *node = llvm::dyn_cast<ast::Unary>(expr))
    return "(" + ast::getSpelling(node->op).str() + " " + group(node->operand) + ")";
  if (const auto *node = llvm::dyn_cast<ast::BoolOp>(expr)) {
    std::string text = "(";
    for (const ast::Expr *operand : node->operands)
      text +=
          (operand == node->operands.front() ? "" : " " + ast::getSpelling(node->op).str() + " ") +
          group(operand);
    return text + ")";
  }
  if (const auto *node = llvm::dyn_cast<ast::Compare>(expr)) {
    std::string text = "(" + group(node->first);
    for (size_t i = 0; i != node->ops.size(); ++i)
      text += " " + ast::getSpelling(node->ops[i]).str() + " " + group(node->operands[i]);
    return text + ")";
  }
  if (const auto *node = llvm::dyn_cast<ast::Conditional>(expr))
    return "(" + group(node->thenValue) + " if " + group(node->condition) + " else " +
           group(node->elseValue) + ")";
  return ast::printSource(expr);
}

/// The expression with parentheses around every operation, which shows how it was grouped.
static std::string grouped(llvm::StringRef text) {
  SourceManager sources;
  DiagnosticEngine diagnostics;
  FileId file = llvm::cantFail(sources.addBuffer("expr", text));
  ParsedExpr parsed = parseExpression(sources, file, diagnostics);
  return parsed.expr ? group(parsed.expr) : renderDiagnostics(sources, diagnostics);
}

TEST(Precedence, arithmetic) {
  EXPECT_EQ(grouped("a + b * c"), "(a+(b*c))");
  EXPECT_EQ(grouped("a - b - c"), "((a-b)-c)");
  EXPECT_EQ(grouped("a * b // c % d @ e / f"), "(((((a*b)//c)%d)@e)/f)");
  EXPECT_EQ(grouped("(a + b) * c"), "((a+b)*c)");
}

TEST(Precedence, power_and_signs) {
  EXPECT_EQ(grouped("-a ** b"), "(- (a**b))");
  EXPECT_EQ(grouped("a ** -b"), "(a**(- b))");
  EXPECT_EQ(grouped("a ** b ** c"), "(a**(b**c))");
  EXPECT_EQ(grouped("-~+a"), "(- (~ (+ a)))");
  EXPECT_EQ(grouped("-a * b"), "((- a)*b)");
  EXPECT_EQ(grouped("x.y ** f(z)[0]"), "(x.y**f(z)[0])");
}

TEST(Precedence, bits_and_shifts) {
  EXPECT_EQ(grouped("a | b ^ c & d << e + f"), "(a|(b^(c&(d<<(e+f)))))");
  EXPECT_EQ(grouped("a << b >> c"), "((a<<b)>>c)");
  EXPECT_EQ(grouped("a & b == c"), "((a&b) == c)");
}

TEST(Precedence, comparisons_chain) {
  EXPECT_EQ(grouped("a < b <= c != d"), "(a < b <= c != d)");
  EXPECT_EQ(grouped("a < (b < c)"), "(a < (b < c))");
  EXPECT_EQ(grouped("a is not b is c in d not in e"), "(a is not b is c in d not in e)");
  EXPECT_EQ(grouped("not a == b"), "(not (a == b))");
}

TEST(Precedence, boolean_operators) {
  EXPECT_EQ(grouped("a or b and not c or d"), "(a or (b and (not c)) or d)");
  EXPECT_EQ(grouped("not not a"), "(not (not a))");
}

TEST(Precedence, conditional) {
  EXPECT_EQ(grouped("a if b else c if d else e"), "(a if b else (c if d else e))");
  EXPECT_EQ(grouped("a or b if c or d else e or f"), "((a or b) if (c or d) else (e or f))");
}

TEST(Expr, literals) {
  EXPECT_EQ(exprTree("0xFF_FF"), "IntLiteral 65535\n");
  EXPECT_EQ(exprTree("0b101"), "IntLiteral 5\n");
  EXPECT_EQ(exprTree("0o17"), "IntLiteral 15\n");
  EXPECT_EQ(exprTree("123456789012345678901234567890"),
            "IntLiteral 123456789012345678901234567890\n");
  EXPECT_EQ(exprTree("0xFFFFFFFFFFFFFFFFFFFF"), "IntLiteral 1208925819614629174706175\n");
  EXPECT_EQ(exprTree("1.5e-3"), "FloatLiteral 1.5e-3\n");
  EXPECT_EQ(exprTree("True"), "BoolLiteral True\n");
  EXPECT_EQ(exprTree("None"), "NoneLiteral\n");
  EXPECT_EQ(exprTree("..."), "EllipsisLiteral\n");
  EXPECT_EQ(exprTree("2j"), "Unsupported \"complex number\"\n");
}

TEST(Expr, integer_values_are_never_negative) {
  ParsedText parsed("18446744073709551615");
  const auto *value = llvm::cast<ast::IntLiteral>(parsed.get<ast::ExprStmt>()->value);
  EXPECT_FALSE(value->getValue().isNegative());
  EXPECT_EQ(value->getValue().getActiveBits(), 64u);
  EXPECT_EQ(value->getValue().getLimitedValue(), UINT64_MAX);
}

TEST(Expr, float_values) {
  auto valueOf = [](llvm::StringRef text) {
    ParsedText parsed(text);
    return llvm::cast<ast::FloatLiteral>(parsed.get<ast::ExprStmt>()->value)->value;
  };
  EXPECT_EQ(valueOf("0.1"), 0.1);
  EXPECT_EQ(valueOf("1_0.5"), 10.5);
  EXPECT_EQ(valueOf(".5"), 0.5);
  EXPECT_EQ(valueOf("5."), 5.0);
  EXPECT_EQ(valueOf("1e400"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(valueOf("4.9e-324"), std::numeric_limits<double>::denorm_min());
}

TEST(Expr, displays) {
  EXPECT_EQ(exprTree("()"), "Tuple\n");
  EXPECT_EQ(exprTree("(a)"), "Name a\n");
  EXPECT_EQ(exprTree("(a,)"), "Tuple\n  Name a\n");
  EXPECT_EQ(exprTree("a, *b"), "Tuple\n  Name a\n  Starred\n    Name b\n");
  EXPECT_EQ(exprTree("[a, b,]"), "List\n  Name a\n  Name b\n");
  EXPECT_EQ(exprTree("{a, b}"), "Set\n  Name a\n  Name b\n");
  EXPECT_EQ(exprTree("{}"), "Dict\n");
  EXPECT_EQ(exprTree("{a: b, **c}"), "Dict\n  key: Name a\n  value: Name b\n  **: Name c\n");
}

TEST(Expr, comprehensions) {
  EXPECT_EQ(exprTree("[i * 2 for i in x if i if not j]"), "Comprehension list\n"
                                                          "  element: Binary *\n"
                                                          "    Name i\n"
                                                          "    IntLiteral 2\n"
                                                          "  for: Name i\n"
                                                          "  in: Name x\n"
                                                          "  if: Name i\n"
                                                          "  if: Unary not\n"
                                                          "    Name j\n");
  EXPECT_EQ(exprTree("{k: v for k, v in x}"), "Comprehension dict\n"
                                              "  key: Name k\n"
                                              "  value: Name v\n"
                                              "  for: Tuple\n"
                                              "    Name k\n"
                                              "    Name v\n"
                                              "  in: Name x\n");
  EXPECT_EQ(exprTree("f(i for i in x)"), "Call\n"
                                         "  callee: Name f\n"
                                         "  arg: Comprehension generator\n"
                                         "    element: Name i\n"
                                         "    for: Name i\n"
                                         "    in: Name x\n");
}

TEST(Expr, calls) {
  EXPECT_EQ(exprTree("tl.load(p, *a, mask=m, **k)"), "Call\n"
                                                     "  callee: Attribute .load\n"
                                                     "    Name tl\n"
                                                     "  arg: Name p\n"
                                                     "  arg: Starred\n"
                                                     "    Name a\n"
                                                     "  mask=: Name m\n"
                                                     "  **: Name k\n");
  EXPECT_EQ(exprTree("f()"), "Call\n  callee: Name f\n");
  EXPECT_EQ(exprTree("f(x := 1,)"), "Call\n"
                                    "  callee: Name f\n"
                                    "  arg: NamedExpr\n"
                                    "    target: Name x\n"
                                    "    value: IntLiteral 1\n");
}

TEST(Expr, subscripts) {
  EXPECT_EQ(exprTree("x[:, None]"), "Subscript\n"
                                    "  base: Name x\n"
                                    "  index: Slice\n"
                                    "  index: NoneLiteral\n");
  EXPECT_EQ(exprTree("x[a:b:c, ::2, ...]"), "Subscript\n"
                                            "  base: Name x\n"
                                            "  index: Slice\n"
                                            "    lower: Name a\n"
                                            "    upper: Name b\n"
                                            "    step: Name c\n"
                                            "  index: Slice\n"
                                            "    step: IntLiteral 2\n"
                                            "  index: EllipsisLiteral\n");
  EXPECT_EQ(exprTree("x[(a, b)]"), "Subscript\n"
                                   "  base: Name x\n"
                                   "  index: Tuple\n"
                                   "    Name a\n"
                                   "    Name b\n");
  EXPECT_EQ(exprTree("x[a,]"), "Subscript trailing-comma\n  base: Name x\n  index: Name a\n");
}

TEST(Expr, lambda) {
  EXPECT_EQ(exprTree("lambda: 0"), "Lambda\n  body: IntLiteral 0\n");
  EXPECT_EQ(exprTree("lambda a, /, b=1, *c, d, **e: a"), "Lambda\n"
                                                         "  Param a positional-only\n"
                                                         "  Param b\n"
                                                         "    default: IntLiteral 1\n"
                                                         "  Param c *\n"
                                                         "  Param d keyword-only\n"
                                                         "  Param e **\n"
                                                         "  body: Name a\n");
}

TEST(Expr, constructs_without_a_meaning) {
  EXPECT_EQ(exprTree("await f(x)"), "Unsupported \"await\"\n");
  EXPECT_EQ(exprTree("(yield)"), "Unsupported \"yield\"\n");
  EXPECT_EQ(exprTree("(yield from x)"), "Unsupported \"yield\"\n");
}

TEST(Expr, ranges) {
  ParsedText parsed("y = (a + b) * f(c)[0]\n");
  const auto *product = llvm::cast<ast::Binary>(parsed.get<ast::Assign>()->value);
  EXPECT_EQ(parsed.sources.getText(product->range), "(a + b) * f(c)[0]");
  EXPECT_EQ(parsed.sources.getText(product->opRange), "*");
  EXPECT_EQ(parsed.sources.getText(product->lhs->range), "a + b");
  const auto *subscript = llvm::cast<ast::Subscript>(product->rhs);
  EXPECT_EQ(parsed.sources.getText(subscript->range), "f(c)[0]");
  EXPECT_EQ(parsed.sources.getText(subscript->base->range), "f(c)");
  EXPECT_EQ(parsed.sources.getText(parsed.get<ast::Assign>()->range), "y = (a + b) * f(c)[0]");
}

TEST(Expr, line_ends_inside_brackets) {
  EXPECT_EQ(exprTree("f(a,\n  # comment\n\n b\n)"),
            "Call\n  callee: Name f\n  arg: Name a\n  arg: Name b\n");
  ParsedText parsed("x = (a\n+\nb)\ny = [\n]\n");
  EXPECT_EQ(parsed.errors(), "");
  EXPECT_EQ(parsed.module->body.size(), 2u);
}

TEST(Expr, walk_visits_children_in_source_order) {
  ParsedText parsed("f(a, [b, *c], d=e if g else h, **i)[j:k](lambda l=m: n)\n");
  std::string names;
  std::function<void(const ast::Expr *)> visit = [&](const ast::Expr *expr) {
    if (const auto *name = llvm::dyn_cast<ast::Name>(expr))
      names += name->id.str() + " ";
    ast::forEachChild(expr, visit);
  };
  visit(parsed.get<ast::ExprStmt>()->value);
  EXPECT_EQ(names, "f a b c e g h i j k m n ");
}

TEST(Expr, dotted_names) {
  ParsedText parsed("a.b.c\na().b\n");
  EXPECT_EQ(ast::getDottedName(parsed.get<ast::ExprStmt>(0)->value), "a.b.c");
  EXPECT_EQ(ast::getDottedName(parsed.get<ast::ExprStmt>(1)->value), "");
  EXPECT_EQ(ast::getDottedName(nullptr), "");
}
