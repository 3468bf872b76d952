// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions, from the loosest binding (lambda, conditional) to the tightest (atoms). Binary
// operators use precedence climbing. The functions that recurse keep their frames small: lists are
// gathered in separate functions that are entered only when there is a list.

#include "ParserImpl.h"

using namespace tilec;
using namespace tilec::ast;

/// Whether nothing more of an expression list can follow (after a trailing comma).
bool Parser::atExpressionEnd() const {
  switch (kind()) {
  case TokenKind::Newline:
  case TokenKind::EndOfFile:
  case TokenKind::RParen:
  case TokenKind::RBracket:
  case TokenKind::RBrace:
  case TokenKind::Colon:
  case TokenKind::Semicolon:
  case TokenKind::Equal:
  case TokenKind::KwIn:
  case TokenKind::KwFor:
    return true;
  default:
    return kind() >= TokenKind::PlusEqual && kind() <= TokenKind::CaretEqual;
  }
}

Expr *Parser::parseWholeExpression(unsigned outerDepth) {
  joinLines = true;
  depth = outerDepth;
  if (atEnd())
    previousEnd = token().begin;
  Expr *expr = parseExpressionList();
  if (expr && !atEnd()) {
    failExpected("end of expression");
    return nullptr;
  }
  return expr;
}

//===- Lists --------------------------------------------------------------------------------===//

/// `a`, `a, b`, `*a, b`, `yield x`: what may stand on the right of `=` and in `return`.
Expr *Parser::parseExpressionList() {
  if (is(TokenKind::KwYield))
    return parseYield();
  uint32_t begin = token().begin;
  Expr *first = parseStarOrNamed();
  if (!first)
    return nullptr;
  if (is(TokenKind::Comma))
    return parseTupleTail(first, begin);
  if (llvm::isa<Starred>(first)) {
    fail(first->range, "a starred expression needs a tuple or list around it");
    return nullptr;
  }
  return first;
}

/// The rest of a tuple without brackets, from its first comma.
Expr *Parser::parseTupleTail(Expr *first, uint32_t begin) {
  llvm::SmallVector<Expr *, 8> elements = {first};
  while (accept(TokenKind::Comma)) {
    if (atExpressionEnd())
      break;
    Expr *element = parseStarOrNamed();
    if (!element)
      return nullptr;
    elements.push_back(element);
  }
  llvm::ArrayRef<Expr *> items = module.copy(elements);
  return finish(module.make<Tuple>(rangeFrom(begin), items), items);
}

Expr *Parser::parseYield() {
  uint32_t begin = token().begin;
  advance();
  if (accept(TokenKind::KwFrom)) {
    if (!parseExpression())
      return nullptr;
  } else if (!atExpressionEnd() && !parseExpressionList()) {
    return nullptr;
  }
  return module.make<UnsupportedExpr>(rangeFrom(begin), "yield");
}

Expr *Parser::parseStarOrNamed() {
  if (!is(TokenKind::Star))
    return parseNamedExpression();
  uint32_t begin = token().begin;
  advance();
  Expr *value = parseBinary(1);
  return value ? finish(module.make<Starred>(rangeFrom(begin), value), value) : nullptr;
}

Expr *Parser::parseNamedExpression() {
  if (!is(TokenKind::Identifier) || peekKind() != TokenKind::ColonEqual) {
    Expr *expr = parseExpression();
    if (expr && is(TokenKind::ColonEqual)) {
      fail(expr->range, "the target of ':=' must be a name");
      return nullptr;
    }
    return expr;
  }
  const Token &name = token();
  Name *target = module.make<Name>(rangeOf(name), textOf(name));
  advance();
  advance();
  Expr *value = parseExpression();
  if (!value)
    return nullptr;
  return finish(module.make<NamedExpr>(rangeFrom(name.begin), target, value), value);
}

//===- Conditional, lambda, boolean operators -----------------------------------------------===//

Expr *Parser::parseExpression() {
  Nesting nesting(*this);
  if (!nesting)
    return nullptr;
  if (is(TokenKind::KwLambda))
    return parseLambda();
  uint32_t begin = token().begin;
  Expr *value = parseOr();
  return value && is(TokenKind::KwIf) ? parseConditionalTail(value, begin) : value;
}

Expr *Parser::parseConditionalTail(Expr *value, uint32_t begin) {
  advance();
  Expr *condition = parseOr();
  if (!condition)
    return nullptr;
  if (!accept(TokenKind::KwElse)) {
    failExpected("'else' in a conditional expression");
    return nullptr;
  }
  Expr *otherwise = parseExpression();
  if (!otherwise)
    return nullptr;
  return finish(module.make<Conditional>(rangeFrom(begin), condition, value, otherwise), value,
                condition, otherwise);
}

Expr *Parser::parseLambda() {
  uint32_t begin = token().begin;
  advance();
  llvm::SmallVector<Param, 4> params;
  if (!parseParameters(TokenKind::Colon, /*annotated=*/false, params))
    return nullptr;
  if (!expect(TokenKind::Colon, " after the parameters of a lambda"))
    return nullptr;
  Expr *body = parseExpression();
  if (!body)
    return nullptr;
  llvm::ArrayRef<Param> stored = module.copy(params);
  return finish(module.make<Lambda>(rangeFrom(begin), stored, body), stored, body);
}

Expr *Parser::parseOr() {
  uint32_t begin = token().begin;
  Expr *first = parseAnd();
  return first && is(TokenKind::KwOr) ? parseBoolOpTail(first, TokenKind::KwOr, begin) : first;
}

Expr *Parser::parseAnd() {
  uint32_t begin = token().begin;
  Expr *first = parseNot();
  return first && is(TokenKind::KwAnd) ? parseBoolOpTail(first, TokenKind::KwAnd, begin) : first;
}

Expr *Parser::parseBoolOpTail(Expr *first, TokenKind op, uint32_t begin) {
  bool isOr = op == TokenKind::KwOr;
  llvm::SmallVector<Expr *, 4> operands = {first};
  while (accept(op)) {
    Expr *operand = isOr ? parseAnd() : parseNot();
    if (!operand)
      return nullptr;
    operands.push_back(operand);
  }
  llvm::ArrayRef<Expr *> items = module.copy(operands);
  return finish(
      module.make<BoolOp>(rangeFrom(begin), isOr ? BoolOpKind::Or : BoolOpKind::And, items), items);
}

Expr *Parser::parseNot() {
  if (!is(TokenKind::KwNot))
    return parseComparison();
  Nesting nesting(*this);
  if (!nesting)
    return nullptr;
  uint32_t begin = token().begin;
  advance();
  Expr *operand = parseNot();
  if (!operand)
    return nullptr;
  return finish(module.make<Unary>(rangeFrom(begin), UnaryOp::Not, operand), operand);
}

//===- Comparisons, binary and unary operators ----------------------------------------------===//

std::optional<CompareOp> Parser::acceptCompareOp() {
  auto take = [this](CompareOp op) {
    advance();
    return op;
  };
  switch (kind()) {
  case TokenKind::EqualEqual:
    return take(CompareOp::Eq);
  case TokenKind::NotEqual:
    return take(CompareOp::NotEq);
  case TokenKind::Less:
    return take(CompareOp::Lt);
  case TokenKind::LessEqual:
    return take(CompareOp::LtE);
  case TokenKind::Greater:
    return take(CompareOp::Gt);
  case TokenKind::GreaterEqual:
    return take(CompareOp::GtE);
  case TokenKind::KwIn:
    return take(CompareOp::In);
  case TokenKind::KwIs:
    advance();
    return accept(TokenKind::KwNot) ? CompareOp::IsNot : CompareOp::Is;
  case TokenKind::KwNot:
    if (peekKind() != TokenKind::KwIn)
      return std::nullopt;
    advance();
    return take(CompareOp::NotIn);
  default:
    return std::nullopt;
  }
}

static bool startsCompareOp(TokenKind kind) {
  switch (kind) {
  case TokenKind::EqualEqual:
  case TokenKind::NotEqual:
  case TokenKind::Less:
  case TokenKind::LessEqual:
  case TokenKind::Greater:
  case TokenKind::GreaterEqual:
  case TokenKind::KwIn:
  case TokenKind::KwIs:
  case TokenKind::KwNot:
    return true;
  default:
    return false;
  }
}

Expr *Parser::parseComparison() {
  uint32_t begin = token().begin;
  Expr *first = parseBinary(1);
  return first && startsCompareOp(kind()) ? parseComparisonTail(first, begin) : first;
}

Expr *Parser::parseComparisonTail(Expr *first, uint32_t begin) {
  llvm::SmallVector<CompareOp, 2> ops;
  llvm::SmallVector<Expr *, 2> operands;
  while (std::optional<CompareOp> op = acceptCompareOp()) {
    Expr *operand = parseBinary(1);
    if (!operand)
      return nullptr;
    ops.push_back(*op);
    operands.push_back(operand);
  }
  if (ops.empty()) // A `not` that is not followed by `in`.
    return first;
  llvm::ArrayRef<Expr *> items = module.copy(operands);
  return finish(module.make<Compare>(rangeFrom(begin), first, module.copy(ops), items), first,
                items);
}

namespace {
struct BinaryInfo {
  /// 0 for tokens that are no binary operator; a greater number binds tighter.
  unsigned precedence;
  BinaryOp op;
};
} // namespace

static BinaryInfo getBinaryInfo(TokenKind kind) {
  switch (kind) {
  case TokenKind::Pipe:
    return {1, BinaryOp::BitOr};
  case TokenKind::Caret:
    return {2, BinaryOp::BitXor};
  case TokenKind::Amp:
    return {3, BinaryOp::BitAnd};
  case TokenKind::LessLess:
    return {4, BinaryOp::LShift};
  case TokenKind::GreaterGreater:
    return {4, BinaryOp::RShift};
  case TokenKind::Plus:
    return {5, BinaryOp::Add};
  case TokenKind::Minus:
    return {5, BinaryOp::Sub};
  case TokenKind::Star:
    return {6, BinaryOp::Mul};
  case TokenKind::Slash:
    return {6, BinaryOp::Div};
  case TokenKind::SlashSlash:
    return {6, BinaryOp::FloorDiv};
  case TokenKind::Percent:
    return {6, BinaryOp::Mod};
  case TokenKind::At:
    return {6, BinaryOp::MatMul};
  default:
    return {0, BinaryOp::Add};
  }
}

Expr *Parser::parseBinary(unsigned minPrecedence) {
  uint32_t begin = token().begin;
  Expr *lhs = parseUnary();
  while (lhs) {
    BinaryInfo info = getBinaryInfo(kind());
    if (info.precedence < minPrecedence || info.precedence == 0)
      return lhs;
    SourceRange opRange = currentRange();
    advance();
    Expr *rhs = parseBinary(info.precedence + 1);
    if (!rhs)
      return nullptr;
    lhs = finish(module.make<Binary>(rangeFrom(begin), info.op, lhs, rhs, opRange), lhs, rhs);
  }
  return nullptr;
}

Expr *Parser::parseUnary() {
  UnaryOp op;
  if (is(TokenKind::Minus))
    op = UnaryOp::Minus;
  else if (is(TokenKind::Plus))
    op = UnaryOp::Plus;
  else if (is(TokenKind::Tilde))
    op = UnaryOp::Invert;
  else
    return parsePower();
  Nesting nesting(*this);
  if (!nesting)
    return nullptr;
  uint32_t begin = token().begin;
  advance();
  Expr *operand = parseUnary();
  if (!operand)
    return nullptr;
  return finish(module.make<Unary>(rangeFrom(begin), op, operand), operand);
}

Expr *Parser::parsePower() {
  uint32_t begin = token().begin;
  Expr *base = is(TokenKind::KwAwait) ? parseAwait() : parsePostfix();
  if (!base || !is(TokenKind::StarStar))
    return base;
  Nesting nesting(*this);
  if (!nesting)
    return nullptr;
  SourceRange opRange = currentRange();
  advance();
  Expr *exponent = parseUnary();
  if (!exponent)
    return nullptr;
  return finish(module.make<Binary>(rangeFrom(begin), BinaryOp::Pow, base, exponent, opRange), base,
                exponent);
}

Expr *Parser::parseAwait() {
  uint32_t begin = token().begin;
  advance();
  if (!parsePostfix())
    return nullptr;
  return module.make<UnsupportedExpr>(rangeFrom(begin), "await");
}

//===- Postfix: attributes, calls, subscripts -----------------------------------------------===//

Expr *Parser::parsePostfix() {
  uint32_t begin = token().begin;
  Expr *expr = parseAtom();
  while (expr) {
    switch (kind()) {
    case TokenKind::Dot: {
      advance();
      const Token &name = token();
      if (!is(TokenKind::Identifier)) {
        failExpected("a name after '.'");
        return nullptr;
      }
      advance();
      expr =
          finish(module.make<Attribute>(rangeFrom(begin), expr, textOf(name), rangeOf(name)), expr);
      break;
    }
    case TokenKind::LParen:
      expr = parseCallArguments(expr, begin);
      break;
    case TokenKind::LBracket:
      expr = parseSubscript(expr, begin);
      break;
    default:
      return expr;
    }
  }
  return nullptr;
}

Expr *Parser::parseCallArguments(Expr *callee, uint32_t begin) {
  advance();
  llvm::SmallVector<Expr *, 4> args;
  llvm::SmallVector<KeywordArg, 4> keywords;
  if (!parseArguments(TokenKind::RParen, args, keywords))
    return nullptr;
  llvm::ArrayRef<Expr *> positional = module.copy(args);
  llvm::ArrayRef<KeywordArg> named = module.copy(keywords);
  return finish(module.make<Call>(rangeFrom(begin), callee, positional, named), callee, positional,
                named);
}

/// The arguments of a call or the bases of a class, from behind the opening bracket to behind the
/// closing one.
bool Parser::parseArguments(TokenKind close, llvm::SmallVectorImpl<Expr *> &args,
                            llvm::SmallVectorImpl<KeywordArg> &keywords) {
  llvm::StringSet<> seen;
  while (!is(close)) {
    const Token &first = token();
    if (accept(TokenKind::StarStar)) {
      Expr *value = parseExpression();
      if (!value)
        return false;
      keywords.push_back({"", rangeOf(first), value});
    } else if (is(TokenKind::Identifier) && peekKind() == TokenKind::Equal) {
      llvm::StringRef name = textOf(first);
      advance();
      advance();
      Expr *value = parseExpression();
      if (!value)
        return false;
      if (!seen.insert(name).second) {
        fail(rangeOf(first), "keyword argument '" + name + "' is given more than once");
        return false;
      }
      keywords.push_back({name, rangeOf(first), value});
    } else {
      Expr *value = parseStarOrNamed();
      if (!value)
        return false;
      if (is(TokenKind::KwFor) || is(TokenKind::KwAsync)) {
        value = parseComprehension(ComprehensionKind::Generator, value, nullptr, first.begin);
        if (!value)
          return false;
      }
      if (is(TokenKind::Equal)) {
        fail(value->range, "expected a name before '=' in an argument list");
        return false;
      }
      bool afterKeyword = !keywords.empty() && !llvm::isa<Starred>(value);
      if (afterKeyword) {
        fail(value->range, "positional argument follows a keyword argument");
        return false;
      }
      args.push_back(value);
    }
    if (!accept(TokenKind::Comma) && !is(close)) {
      failExpected("',' or '" + getTokenSpelling(close) + "'");
      return false;
    }
  }
  advance();
  return true;
}

Expr *Parser::parseSubscript(Expr *base, uint32_t begin) {
  advance();
  llvm::SmallVector<Expr *, 4> indices;
  bool trailingComma = false;
  while (!is(TokenKind::RBracket)) {
    Expr *item = parseIndex();
    if (!item)
      return nullptr;
    indices.push_back(item);
    trailingComma = accept(TokenKind::Comma);
    if (!trailingComma && !is(TokenKind::RBracket)) {
      failExpected("',' or ']'");
      return nullptr;
    }
  }
  if (indices.empty()) {
    failExpected("an index");
    return nullptr;
  }
  advance();
  llvm::ArrayRef<Expr *> items = module.copy(indices);
  return finish(module.make<Subscript>(rangeFrom(begin), base, items, trailingComma), base, items);
}

/// One index of a subscript: an expression or a slice.
Expr *Parser::parseIndex() {
  uint32_t begin = token().begin;
  Expr *parts[3] = {nullptr, nullptr, nullptr};
  if (!is(TokenKind::Colon)) {
    parts[0] = parseStarOrNamed();
    if (!parts[0] || !is(TokenKind::Colon))
      return parts[0];
    if (llvm::isa<Starred>(parts[0])) {
      fail(parts[0]->range, "a starred expression cannot be the bound of a slice");
      return nullptr;
    }
  }
  for (unsigned i = 1; i != 3 && accept(TokenKind::Colon); ++i) {
    if (is(TokenKind::Colon) || is(TokenKind::Comma) || is(TokenKind::RBracket))
      continue;
    parts[i] = parseExpression();
    if (!parts[i])
      return nullptr;
  }
  return finish(module.make<Slice>(rangeFrom(begin), parts[0], parts[1], parts[2]), parts[0],
                parts[1], parts[2]);
}
