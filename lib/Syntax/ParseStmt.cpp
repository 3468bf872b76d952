// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statement lists, lines and simple statements. A block is a run of lines with one indentation; a
// line is one compound statement or simple statements with semicolons between them.

#include "ParserImpl.h"

#include "llvm/ADT/SmallString.h"

using namespace tilec;
using namespace tilec::ast;

//===- Blocks and lines ---------------------------------------------------------------------===//

Block Parser::parseStatementList(uint32_t indent, Stmt *parentNode) {
  parent = parentNode;
  llvm::SmallVector<Stmt *, 16> statements;
  while (!atEnd()) {
    indent = std::min(indent, token().indent);
    parseStatements(indent, statements);
  }
  return module.copy(statements);
}

Stmt *Parser::parseSingleStatement(uint32_t indent, Stmt *parentNode) {
  parent = parentNode;
  blockIndent = indent;
  llvm::SmallVector<Stmt *, 1> statements;
  if (!atEnd())
    parseStatementLine(statements);
  return statements.empty() ? nullptr : statements.front();
}

/// Bytes of white space before the first token of a line; against `indent` it shows tabs.
uint32_t Parser::indentBytes(const Token &t) const {
  llvm::StringRef before = context.buffer.getText().take_front(t.begin);
  size_t lastOther = before.find_last_not_of(" \t");
  return t.begin - (lastOther == llvm::StringRef::npos ? 0 : static_cast<uint32_t>(lastOther + 1));
}

/// Python's rule: the comparison of two indentations must not depend on the width of a tab.
void Parser::checkTabs(const Token &first, uint32_t blockBytes, bool isNewBlock) {
  uint32_t bytes = indentBytes(first);
  bool isConsistent = isNewBlock ? bytes > blockBytes : bytes == blockBytes;
  if (isConsistent || reportedTabs)
    return;
  reportedTabs = true;
  hadError = true;
  diagnostics.error({module.file, first.begin - bytes, first.begin},
                    "inconsistent use of tabs and spaces in indentation", "syntax");
}

/// Reports the indentation of the current line, unless tabs have made all of them doubtful.
void Parser::failIndentation(const llvm::Twine &message) {
  if (!reportedTabs)
    fail(rangeOf(token()), message);
  panicking = false;
}

/// Parses the lines that are indented by `indent`; the parser is at the start of a line.
void Parser::parseStatements(uint32_t indent, StmtList &statements) {
  uint32_t outerIndent = blockIndent;
  blockIndent = indent;
  uint32_t blockBytes = indentBytes(token());
  while (!atEnd()) {
    if (diagnostics.isErrorLimitReached()) {
      stopParsing();
      break;
    }
    const Token &first = token();
    if (first.indent < indent)
      break;
    if (first.indent > indent) {
      statementStart = index;
      bool isMismatch = first.indent < closedBlockIndent;
      failIndentation(isMismatch ? "unindent does not match any outer indentation level"
                                 : "unexpected indent");
      badIndentToken = index;
      Nesting nesting(*this);
      if (!nesting) {
        recover(indent);
        continue;
      }
      parseStatements(first.indent, statements);
      continue;
    }
    checkTabs(first, blockBytes, /*isNewBlock=*/false);
    closedBlockIndent = 0;
    parseStatementLine(statements);
  }
  blockIndent = outerIndent;
}

void Parser::parseStatementLine(StmtList &statements) {
  statementStart = index;
  reportedTooDeep &= depth != 0;
  bool handled = false;
  Stmt *statement = parseCompound(handled);
  if (!handled) {
    parseSimpleLine(statements);
    return;
  }
  if (statement)
    statements.push_back(statement);
  if (panicking)
    recover(blockIndent);
}

/// `a; b; c` up to the end of the line.
void Parser::parseSimpleLine(StmtList &statements) {
  while (true) {
    Stmt *statement = parseSimple();
    if (!statement)
      break;
    statements.push_back(statement);
    if (accept(TokenKind::Semicolon)) {
      if (is(TokenKind::Newline) || atEnd())
        break;
      continue;
    }
    if (!is(TokenKind::Newline) && !atEnd())
      failExpected("end of statement");
    break;
  }
  if (panicking)
    recover(blockIndent);
  else
    accept(TokenKind::Newline);
}

//===- Simple statements --------------------------------------------------------------------===//

Stmt *Parser::parseSimple() {
  const Token &first = token();
  switch (kind()) {
  case TokenKind::KwPass:
    advance();
    return module.make<Pass>(rangeOf(first));
  case TokenKind::KwBreak:
    advance();
    return module.make<Break>(rangeOf(first));
  case TokenKind::KwContinue:
    advance();
    return module.make<Continue>(rangeOf(first));
  case TokenKind::KwReturn:
    return parseReturn();
  case TokenKind::KwAssert:
    return parseAssert();
  case TokenKind::KwRaise:
    return parseRaise();
  case TokenKind::KwDel:
    return parseDelete();
  case TokenKind::KwGlobal:
  case TokenKind::KwNonlocal:
    return parseScope();
  case TokenKind::KwImport:
    return parseImport();
  case TokenKind::KwFrom:
    return parseImportFrom();
  case TokenKind::Identifier:
    if (textOf(first) == "type" && peekKind() == TokenKind::Identifier)
      return parseTypeAlias();
    return parseExpressionStatement();
  default:
    return parseExpressionStatement();
  }
}

static std::optional<BinaryOp> getAugmentedOp(TokenKind kind) {
  switch (kind) {
  case TokenKind::PlusEqual:
    return BinaryOp::Add;
  case TokenKind::MinusEqual:
    return BinaryOp::Sub;
  case TokenKind::StarEqual:
    return BinaryOp::Mul;
  case TokenKind::AtEqual:
    return BinaryOp::MatMul;
  case TokenKind::SlashEqual:
    return BinaryOp::Div;
  case TokenKind::SlashSlashEqual:
    return BinaryOp::FloorDiv;
  case TokenKind::PercentEqual:
    return BinaryOp::Mod;
  case TokenKind::StarStarEqual:
    return BinaryOp::Pow;
  case TokenKind::LessLessEqual:
    return BinaryOp::LShift;
  case TokenKind::GreaterGreaterEqual:
    return BinaryOp::RShift;
  case TokenKind::AmpEqual:
    return BinaryOp::BitAnd;
  case TokenKind::PipeEqual:
    return BinaryOp::BitOr;
  case TokenKind::CaretEqual:
    return BinaryOp::BitXor;
  default:
    return std::nullopt;
  }
}

/// What an expression that cannot be assigned to is called in messages.
static std::string describeNonTarget(const Expr *expr) {
  switch (expr->kind) {
  case ExprKind::IntLiteral:
  case ExprKind::FloatLiteral:
  case ExprKind::StringLiteral:
    return "a literal";
  case ExprKind::BoolLiteral:
    return llvm::cast<BoolLiteral>(expr)->value ? "'True'" : "'False'";
  case ExprKind::NoneLiteral:
    return "'None'";
  case ExprKind::EllipsisLiteral:
    return "'...'";
  case ExprKind::FString:
    return "an f-string";
  case ExprKind::Set:
  case ExprKind::Dict:
    return "a set or dict";
  case ExprKind::Comprehension:
    return "a comprehension";
  case ExprKind::Call:
    return "a call";
  case ExprKind::Compare:
    return "a comparison";
  case ExprKind::Conditional:
    return "a conditional expression";
  case ExprKind::NamedExpr:
    return "an assignment expression";
  case ExprKind::Lambda:
    return "a lambda";
  case ExprKind::Unsupported:
    return ("a '" + llvm::cast<UnsupportedExpr>(expr)->what + "' expression").str();
  default:
    return "an expression";
  }
}

/// Fails unless the expression can stand on the left of an assignment, in `for` or in `del`.
/// Recursion is bounded by the height of the tree.
bool Parser::checkTarget(const Expr *target, llvm::StringRef verb, bool insideTuple) {
  switch (target->kind) {
  case ExprKind::Name:
  case ExprKind::Attribute:
  case ExprKind::Subscript:
    return true;
  case ExprKind::Tuple:
  case ExprKind::List: {
    llvm::ArrayRef<Expr *> elements = llvm::isa<Tuple>(target) ? llvm::cast<Tuple>(target)->elements
                                                               : llvm::cast<List>(target)->elements;
    const Expr *star = nullptr;
    for (const Expr *element : elements) {
      if (!checkTarget(element, verb, /*insideTuple=*/true))
        return false;
      if (!llvm::isa<Starred>(element))
        continue;
      if (star) {
        fail(element->range, "more than one starred target in an assignment");
        return false;
      }
      star = element;
    }
    return true;
  }
  case ExprKind::Starred:
    if (insideTuple && verb != "delete")
      return checkTarget(llvm::cast<Starred>(target)->value, verb);
    fail(target->range, verb == "delete" ? "cannot delete a starred expression"
                                         : "a starred target needs a tuple or list around it");
    return false;
  default:
    fail(target->range, "cannot " + verb + " " + describeNonTarget(target));
    return false;
  }
}

/// An expression, an assignment, or an augmented or annotated one.
Stmt *Parser::parseExpressionStatement() {
  uint32_t begin = token().begin;
  Expr *first = parseExpressionList();
  if (!first)
    return nullptr;
  if (is(TokenKind::Equal))
    return parseAssignment(first, begin);
  if (is(TokenKind::Colon))
    return parseAnnotated(first, begin);
  if (std::optional<BinaryOp> op = getAugmentedOp(kind())) {
    SourceRange opRange = currentRange();
    bool isTarget = llvm::isa<Name, Attribute, Subscript>(first);
    if (!isTarget) {
      bool isList = llvm::isa<Tuple, List>(first);
      fail(first->range, "cannot use '" + llvm::Twine(getTokenSpelling(kind())) + "' on " +
                             (isList ? "a tuple or list" : describeNonTarget(first)));
      return nullptr;
    }
    advance();
    Expr *value = parseExpressionList();
    if (!value)
      return nullptr;
    return finish(module.make<AugAssign>(rangeFrom(begin), first, *op, value, opRange), first,
                  value);
  }
  if (is(TokenKind::Equal) || is(TokenKind::ColonEqual)) {
    failExpected("end of statement");
    return nullptr;
  }
  return finish(module.make<ExprStmt>(rangeFrom(begin), first), first);
}

/// `a = b = value`, from the first `=`.
Stmt *Parser::parseAssignment(Expr *first, uint32_t begin) {
  llvm::SmallVector<Expr *, 2> targets;
  Expr *last = first;
  while (is(TokenKind::Equal)) {
    if (!checkTarget(last, "assign to"))
      return nullptr;
    targets.push_back(last);
    advance();
    last = parseExpressionList();
    if (!last)
      return nullptr;
  }
  llvm::ArrayRef<Expr *> stored = module.copy(targets);
  return finish(module.make<Assign>(rangeFrom(begin), stored, last), stored, last);
}

/// `target: annotation [= value]`, from the colon.
Stmt *Parser::parseAnnotated(Expr *target, uint32_t begin) {
  if (!llvm::isa<Name, Attribute, Subscript>(target)) {
    failExpected("end of statement");
    return nullptr;
  }
  advance();
  Expr *annotation = parseExpression();
  if (!annotation)
    return nullptr;
  Expr *value = nullptr;
  if (accept(TokenKind::Equal)) {
    value = parseExpressionList();
    if (!value)
      return nullptr;
  }
  return finish(module.make<AnnAssign>(rangeFrom(begin), target, annotation, value), target,
                annotation, value);
}

Stmt *Parser::parseReturn() {
  uint32_t begin = token().begin;
  advance();
  Expr *value = nullptr;
  if (!is(TokenKind::Newline) && !is(TokenKind::Semicolon) && !atEnd()) {
    value = parseExpressionList();
    if (!value)
      return nullptr;
  }
  return finish(module.make<Return>(rangeFrom(begin), value), value);
}

Stmt *Parser::parseAssert() {
  uint32_t begin = token().begin;
  advance();
  Expr *condition = parseExpression();
  if (!condition)
    return nullptr;
  Expr *message = nullptr;
  if (accept(TokenKind::Comma)) {
    message = parseExpression();
    if (!message)
      return nullptr;
  }
  return finish(module.make<Assert>(rangeFrom(begin), condition, message), condition, message);
}

Stmt *Parser::parseRaise() {
  uint32_t begin = token().begin;
  advance();
  Expr *exception = nullptr, *cause = nullptr;
  if (!is(TokenKind::Newline) && !is(TokenKind::Semicolon) && !atEnd()) {
    exception = parseExpression();
    if (!exception)
      return nullptr;
    if (accept(TokenKind::KwFrom)) {
      cause = parseExpression();
      if (!cause)
        return nullptr;
    }
  }
  return finish(module.make<Raise>(rangeFrom(begin), exception, cause), exception, cause);
}

Stmt *Parser::parseDelete() {
  uint32_t begin = token().begin;
  advance();
  Expr *deleted = parseExpressionList();
  if (!deleted || !checkTarget(deleted, "delete"))
    return nullptr;
  llvm::ArrayRef<Expr *> targets;
  if (auto *tuple = llvm::dyn_cast<Tuple>(deleted))
    targets = tuple->elements;
  else
    targets = module.copy(llvm::ArrayRef<Expr *>(deleted));
  return finish(module.make<Delete>(rangeFrom(begin), targets), targets);
}

Stmt *Parser::parseScope() {
  uint32_t begin = token().begin;
  bool isNonlocal = is(TokenKind::KwNonlocal);
  advance();
  llvm::SmallVector<llvm::StringRef, 2> names;
  do {
    if (!is(TokenKind::Identifier)) {
      failExpected("a name");
      return nullptr;
    }
    names.push_back(textOf(token()));
    advance();
  } while (accept(TokenKind::Comma));
  return module.make<Scope>(rangeFrom(begin), module.copy(names), isNonlocal);
}

/// `type Name[T] = value`
Stmt *Parser::parseTypeAlias() {
  uint32_t begin = token().begin;
  advance();
  advance();
  if (!skipTypeParameters() || !expect(TokenKind::Equal) || !parseExpression())
    return nullptr;
  return module.make<UnsupportedStmt>(rangeFrom(begin), "type");
}

//===- Imports ------------------------------------------------------------------------------===//

/// `a.b.c`
bool Parser::parseDottedName(llvm::StringRef &name, SourceRange &range) {
  uint32_t begin = token().begin;
  llvm::SmallString<64> text;
  do {
    if (!is(TokenKind::Identifier)) {
      failExpected("a module name");
      return false;
    }
    if (!text.empty())
      text += '.';
    text += textOf(token());
    advance();
  } while (accept(TokenKind::Dot));
  range = rangeFrom(begin);
  name = module.copyText(text);
  return true;
}

/// `[as name]`
bool Parser::parseAlias(llvm::StringRef &alias) {
  if (!accept(TokenKind::KwAs))
    return true;
  if (!is(TokenKind::Identifier)) {
    failExpected("a name after 'as'");
    return false;
  }
  alias = textOf(token());
  advance();
  return true;
}

Stmt *Parser::parseImport() {
  uint32_t begin = token().begin;
  advance();
  llvm::SmallVector<ImportedName, 2> names;
  do {
    ImportedName name;
    uint32_t nameBegin = token().begin;
    if (!parseDottedName(name.name, name.range) || !parseAlias(name.alias))
      return nullptr;
    name.range = rangeFrom(nameBegin);
    names.push_back(name);
  } while (accept(TokenKind::Comma));
  return module.make<Import>(rangeFrom(begin), module.copy(names));
}

Stmt *Parser::parseImportFrom() {
  uint32_t begin = token().begin;
  advance();
  unsigned level = 0;
  uint32_t moduleBegin = token().begin;
  while (is(TokenKind::Dot) || is(TokenKind::Ellipsis)) {
    level += is(TokenKind::Dot) ? 1 : 3;
    advance();
  }
  SourceRange moduleRange = rangeFrom(moduleBegin);
  llvm::StringRef moduleName;
  if (level == 0 || !is(TokenKind::KwImport)) {
    if (!parseDottedName(moduleName, moduleRange))
      return nullptr;
    moduleRange.begin = moduleBegin;
  }
  if (!expect(TokenKind::KwImport, " after the module name"))
    return nullptr;

  llvm::SmallVector<ImportedName, 4> names;
  if (is(TokenKind::Star)) {
    ImportedName all;
    all.range = rangeOf(token());
    all.name = "*";
    names.push_back(all);
    advance();
    return module.make<ImportFrom>(rangeFrom(begin), moduleName, level, module.copy(names),
                                   moduleRange);
  }
  bool inParentheses = accept(TokenKind::LParen);
  do {
    if (inParentheses && is(TokenKind::RParen) && !names.empty())
      break;
    ImportedName name;
    uint32_t nameBegin = token().begin;
    if (!is(TokenKind::Identifier)) {
      failExpected("a name to import");
      return nullptr;
    }
    name.name = textOf(token());
    advance();
    if (!parseAlias(name.alias))
      return nullptr;
    name.range = rangeFrom(nameBegin);
    names.push_back(name);
  } while (accept(TokenKind::Comma));
  if (inParentheses && !accept(TokenKind::RParen)) {
    failExpected("',' or ')'");
    return nullptr;
  }
  return module.make<ImportFrom>(rangeFrom(begin), moduleName, level, module.copy(names),
                                 moduleRange);
}
