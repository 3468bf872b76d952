// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atoms and what stands in brackets: tuples, lists, sets, dicts, comprehensions with their targets,
// and the parameter lists of functions and lambdas.

#include "ParserImpl.h"

using namespace tilec;
using namespace tilec::ast;

//===- Atoms and displays -------------------------------------------------------------------===//

Expr *Parser::parseAtom() {
  const Token &first = token();
  switch (kind()) {
  case TokenKind::Identifier:
    advance();
    return module.make<Name>(rangeOf(first), textOf(first));
  case TokenKind::Integer:
    return parseInteger();
  case TokenKind::Float:
    return parseFloat();
  case TokenKind::Imaginary:
    advance();
    return module.make<UnsupportedExpr>(rangeOf(first), "complex number");
  case TokenKind::String:
    return parseStrings();
  case TokenKind::KwTrue:
  case TokenKind::KwFalse:
    advance();
    return module.make<BoolLiteral>(rangeOf(first), first.kind == TokenKind::KwTrue);
  case TokenKind::KwNone:
    advance();
    return module.make<NoneLiteral>(rangeOf(first));
  case TokenKind::Ellipsis:
    advance();
    return module.make<EllipsisLiteral>(rangeOf(first));
  case TokenKind::LParen:
    return parseParenthesized();
  case TokenKind::LBracket:
    return parseListDisplay();
  case TokenKind::LBrace:
    return parseBraces();
  default:
    failExpected("an expression");
    return nullptr;
  }
}

/// `(a)`, `(a, b)`, `()`, `(x for x in y)`, `(yield)`
Expr *Parser::parseParenthesized() {
  uint32_t begin = token().begin;
  advance();
  if (accept(TokenKind::RParen))
    return module.make<Tuple>(rangeFrom(begin), llvm::ArrayRef<Expr *>());
  if (is(TokenKind::KwYield)) {
    Expr *yield = parseYield();
    return yield && expect(TokenKind::RParen) ? yield : nullptr;
  }
  Expr *first = parseStarOrNamed();
  if (!first)
    return nullptr;
  if (is(TokenKind::KwFor) || is(TokenKind::KwAsync))
    return parseComprehension(ComprehensionKind::Generator, first, nullptr, begin,
                              TokenKind::RParen);
  if (is(TokenKind::Comma)) {
    Expr *tuple = parseTupleTail(first, begin);
    if (!tuple)
      return nullptr;
    if (!accept(TokenKind::RParen)) {
      failExpected("',' or ')'");
      return nullptr;
    }
    tuple->range = rangeFrom(begin);
    return tuple;
  }
  if (!accept(TokenKind::RParen)) {
    failExpected("')'");
    return nullptr;
  }
  if (llvm::isa<Starred>(first)) {
    fail(first->range, "a starred expression needs a tuple or list around it");
    return nullptr;
  }
  return first;
}

Expr *Parser::parseListDisplay() {
  uint32_t begin = token().begin;
  advance();
  llvm::SmallVector<Expr *, 8> elements;
  while (!is(TokenKind::RBracket)) {
    Expr *element = parseStarOrNamed();
    if (!element)
      return nullptr;
    if (elements.empty() && (is(TokenKind::KwFor) || is(TokenKind::KwAsync)))
      return parseComprehension(ComprehensionKind::List, element, nullptr, begin,
                                TokenKind::RBracket);
    elements.push_back(element);
    if (!accept(TokenKind::Comma) && !is(TokenKind::RBracket)) {
      failExpected("',' or ']'");
      return nullptr;
    }
  }
  advance();
  llvm::ArrayRef<Expr *> items = module.copy(elements);
  return finish(module.make<List>(rangeFrom(begin), items), items);
}

/// A dict or set, or a comprehension of one.
Expr *Parser::parseBraces() {
  uint32_t begin = token().begin;
  advance();
  llvm::SmallVector<DictEntry, 4> entries;
  llvm::SmallVector<Expr *, 8> children;
  bool isSet = false;
  while (!is(TokenKind::RBrace)) {
    bool isFirst = children.empty();
    if (!isSet && accept(TokenKind::StarStar)) {
      Expr *value = parseBinary(1);
      if (!value)
        return nullptr;
      entries.push_back({nullptr, value});
      children.push_back(value);
    } else {
      Expr *key = parseStarOrNamed();
      if (!key)
        return nullptr;
      children.push_back(key);
      if (isFirst && !is(TokenKind::Colon))
        isSet = true;
      Expr *value = nullptr;
      if (!isSet) {
        if (llvm::isa<Starred>(key)) {
          fail(key->range, "a starred expression cannot be a dict key");
          return nullptr;
        }
        if (!expect(TokenKind::Colon, " after a dict key"))
          return nullptr;
        value = parseExpression();
        if (!value)
          return nullptr;
        children.push_back(value);
        entries.push_back({key, value});
      }
      if (isFirst && (is(TokenKind::KwFor) || is(TokenKind::KwAsync)))
        return parseComprehension(isSet ? ComprehensionKind::Set : ComprehensionKind::Dict, key,
                                  value, begin, TokenKind::RBrace);
    }
    if (!accept(TokenKind::Comma) && !is(TokenKind::RBrace)) {
      failExpected("',' or '}'");
      return nullptr;
    }
  }
  advance();
  llvm::ArrayRef<Expr *> all = children;
  if (isSet)
    return finish(module.make<Set>(rangeFrom(begin), module.copy(children)), all);
  return finish(module.make<Dict>(rangeFrom(begin), module.copy(entries)), all);
}

//===- Comprehensions -----------------------------------------------------------------------===//

/// `for target in iter if condition ...`, any number of them.
bool Parser::parseComprehensionClauses(llvm::SmallVectorImpl<ComprehensionClause> &clauses) {
  while (is(TokenKind::KwFor) || is(TokenKind::KwAsync)) {
    ComprehensionClause clause = {};
    clause.isAsync = accept(TokenKind::KwAsync);
    if (!expect(TokenKind::KwFor))
      return false;
    clause.target = parseTargetList();
    if (!clause.target || !checkTarget(clause.target, "assign to"))
      return false;
    if (!expect(TokenKind::KwIn, " in a comprehension"))
      return false;
    clause.iter = parseOr();
    if (!clause.iter)
      return false;
    llvm::SmallVector<Expr *, 2> conditions;
    while (accept(TokenKind::KwIf)) {
      Expr *condition = parseOr();
      if (!condition)
        return false;
      conditions.push_back(condition);
    }
    clause.conditions = module.copy(conditions);
    clauses.push_back(clause);
  }
  return true;
}

/// A comprehension from its first `for`. With a `close` that bracket ends it and is a part of it.
Expr *Parser::parseComprehension(ComprehensionKind form, Expr *element, Expr *value, uint32_t begin,
                                 std::optional<TokenKind> close) {
  if (llvm::isa<Starred>(element)) {
    fail(element->range, "a starred expression cannot be the element of a comprehension");
    return nullptr;
  }
  llvm::SmallVector<ComprehensionClause, 1> clauses;
  if (!parseComprehensionClauses(clauses))
    return nullptr;
  if (close && !accept(*close)) {
    failExpected("'" + getTokenSpelling(*close) + "'");
    return nullptr;
  }
  llvm::SmallVector<Expr *, 8> children = {element, value};
  for (const ComprehensionClause &clause : clauses) {
    children.append({clause.target, clause.iter});
    children.append(clause.conditions.begin(), clause.conditions.end());
  }
  return finish(
      module.make<Comprehension>(rangeFrom(begin), form, element, value, module.copy(clauses)),
      llvm::ArrayRef<Expr *>(children));
}

/// The variables of a `for`: like an expression list, but `in` ends it.
Expr *Parser::parseTargetList() {
  uint32_t begin = token().begin;
  Expr *first = parseTarget();
  if (!first || !is(TokenKind::Comma))
    return first;
  llvm::SmallVector<Expr *, 4> elements = {first};
  while (accept(TokenKind::Comma)) {
    if (atExpressionEnd())
      break;
    Expr *element = parseTarget();
    if (!element)
      return nullptr;
    elements.push_back(element);
  }
  llvm::ArrayRef<Expr *> items = module.copy(elements);
  return finish(module.make<Tuple>(rangeFrom(begin), items), items);
}

Expr *Parser::parseTarget() { return is(TokenKind::Star) ? parseStarOrNamed() : parseBinary(1); }

//===- Parameters ---------------------------------------------------------------------------===//

namespace tilec {
/// What has been seen of a parameter list.
struct ParameterState {
  llvm::StringSet<> names;
  bool slash = false;
  bool star = false;
  bool defaultValue = false;
  /// The last entry was a `*` without a name, which a keyword-only parameter must follow.
  bool openStar = false;
};
} // namespace tilec

/// The parameters of a function or lambda, up to but not including `close`.
bool Parser::parseParameters(TokenKind close, bool annotated,
                             llvm::SmallVectorImpl<Param> &params) {
  ParameterState state;
  while (!is(close)) {
    const Token &first = token();
    if (!params.empty() && params.back().kind == ParamKind::VarKeywords) {
      fail(currentRange(), "a parameter cannot follow '**" + params.back().name + "'");
      return false;
    }
    if (accept(TokenKind::Slash)) {
      if (state.slash || state.star || params.empty()) {
        fail(rangeOf(first), "misplaced '/' in a parameter list");
        return false;
      }
      state.slash = true;
      for (Param &param : params)
        param.kind = ParamKind::PositionalOnly;
    } else if (is(TokenKind::Star) && (peekKind() == TokenKind::Comma || peekKind() == close)) {
      if (state.star) {
        fail(rangeOf(first), "misplaced '*' in a parameter list");
        return false;
      }
      advance();
      state.star = state.openStar = true;
    } else if (!parseParameter(annotated, state, params)) {
      return false;
    }
    bool listEnds = !accept(TokenKind::Comma) || is(close);
    if (listEnds && !is(close)) {
      failExpected("',' or '" + getTokenSpelling(close) + "'");
      return false;
    }
    if (listEnds && state.openStar) {
      fail(rangeOf(first), "expected a parameter after '*'");
      return false;
    }
  }
  return true;
}

/// `name`, `*name` or `**name` with its annotation and default value.
bool Parser::parseParameter(bool annotated, ParameterState &state,
                            llvm::SmallVectorImpl<Param> &params) {
  const Token &first = token();
  Param param;
  param.kind = state.star ? ParamKind::KeywordOnly : ParamKind::Normal;
  if (accept(TokenKind::Star)) {
    param.kind = ParamKind::VarArgs;
    if (state.star) {
      fail(rangeOf(first), "misplaced '*' in a parameter list");
      return false;
    }
    state.star = true;
  } else if (accept(TokenKind::StarStar)) {
    param.kind = ParamKind::VarKeywords;
    if (state.openStar) {
      fail(rangeOf(first), "expected a parameter after '*'");
      return false;
    }
  }
  state.openStar = false;

  const Token &name = token();
  if (!is(TokenKind::Identifier)) {
    failExpected("a parameter name");
    return false;
  }
  param.name = textOf(name);
  param.nameRange = rangeOf(name);
  advance();
  if (annotated && accept(TokenKind::Colon)) {
    param.annotation = param.kind == ParamKind::VarArgs ? parseStarOrNamed() : parseExpression();
    if (!param.annotation)
      return false;
  }
  bool isVariadic = param.kind == ParamKind::VarArgs || param.kind == ParamKind::VarKeywords;
  if (is(TokenKind::Equal) && isVariadic) {
    fail(param.nameRange, "parameter '" + param.name + "' cannot have a default value");
    return false;
  }
  if (accept(TokenKind::Equal)) {
    param.defaultValue = parseExpression();
    if (!param.defaultValue)
      return false;
    state.defaultValue = true;
  } else if (state.defaultValue && param.kind == ParamKind::Normal) {
    fail(param.nameRange,
         "parameter '" + param.name + "' without a default follows one with a default");
    return false;
  }
  if (!state.names.insert(param.name).second) {
    fail(param.nameRange, "duplicate parameter '" + param.name + "'");
    return false;
  }
  param.range = rangeFrom(first.begin);
  params.push_back(param);
  return true;
}
