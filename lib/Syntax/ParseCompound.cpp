// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compound statements. When the header of one is broken its block is parsed all the same, so that
// errors in it are found too; the statement itself is then dropped.

#include "ParserImpl.h"

using namespace tilec;
using namespace tilec::ast;

//===- Suites -------------------------------------------------------------------------------===//

/// The colon and the block of a compound statement whose header began at `headerBegin`. Leaves
/// the parser at the start of a line and not panicking, whatever happened. False after an error in
/// the header, or when there is no block.
bool Parser::parseSuite(llvm::StringRef what, uint32_t headerBegin, Block &body,
                        SourceRange *header) {
  bool headerIsGood = !panicking;
  if (headerIsGood) {
    if (header)
      *header = rangeFrom(headerBegin);
    if (!accept(TokenKind::Colon)) {
      Diagnostic *error = failExpected("':'");
      if (error && is(TokenKind::Equal))
        error->addNote(currentRange(), "a comparison is written '=='");
      else if (error && what == "else" && is(TokenKind::KwIf))
        error->addNote(currentRange(), "'else if' is written 'elif'");
      else if (error && is(TokenKind::Newline))
        error->setFixIt(currentRange(), ":");
      headerIsGood = false;
    }
  }
  if (!headerIsGood && !recoverHeader())
    return false;

  llvm::SmallVector<Stmt *, 16> statements;
  if (headerIsGood && !is(TokenKind::Newline) && !atEnd()) {
    parseSimpleLine(statements);
    body = module.copy(statements);
    return true;
  }
  accept(TokenKind::Newline);
  const Token &first = token();
  if (atEnd() || first.indent <= blockIndent) {
    uint32_t line = context.buffer.getLineColumn(headerBegin).line;
    fail({module.file, previousEnd, previousEnd},
         "expected an indented block after '" + what + "' on line " + llvm::Twine(line));
    panicking = false;
    return false;
  }
  Nesting nesting(*this);
  if (!nesting) {
    recover(blockIndent);
    return false;
  }
  checkTabs(first, indentBytes(tokens[statementStart]), /*isNewBlock=*/true);
  uint32_t start = statementStart;
  uint32_t indent = first.indent;
  parseStatements(indent, statements);
  statementStart = start;
  closedBlockIndent = indent;
  body = module.copy(statements);
  return headerIsGood;
}

/// An optional `else` clause. False after an error in it.
bool Parser::parseElse(llvm::StringRef what, Block &body) {
  if (!is(TokenKind::KwElse) || token().indent != blockIndent)
    return true;
  statementStart = index;
  uint32_t begin = token().begin;
  advance();
  return parseSuite(what, begin, body);
}

/// Whether the parser is at a keyword that goes on with the statement of this block.
static bool isClause(const Token &t, TokenKind keyword, uint32_t indent) {
  return t.kind == keyword && t.indent == indent;
}

Stmt *Parser::parseCompound(bool &handled) {
  handled = true;
  switch (kind()) {
  case TokenKind::KwIf:
    return parseIf(/*isElif=*/false);
  case TokenKind::KwFor:
    return parseFor();
  case TokenKind::KwWhile:
    return parseWhile();
  case TokenKind::KwWith:
    return parseWith();
  case TokenKind::KwTry:
    return parseTry();
  case TokenKind::At:
    return parseDecorated();
  case TokenKind::KwDef:
    return parseFunction({}, token().begin);
  case TokenKind::KwClass:
    return parseClass({}, token().begin);
  case TokenKind::KwAsync:
    return parseAsync();
  case TokenKind::KwElif:
  case TokenKind::KwElse:
  case TokenKind::KwExcept:
  case TokenKind::KwFinally:
    return parseOrphanClause();
  case TokenKind::Identifier:
    if (textOf(token()) == "match" && looksLikeMatch())
      return skipUnsupportedBlock("match", token().begin);
    break;
  default:
    break;
  }
  handled = false;
  return nullptr;
}

//===- if, for, while -----------------------------------------------------------------------===//

Stmt *Parser::parseIf(bool isElif) {
  uint32_t begin = token().begin;
  llvm::StringRef what = isElif ? "elif" : "if";
  statementStart = index;
  advance();
  Expr *condition = parseNamedExpression();
  Block thenBody, elseBody;
  SourceRange header;
  bool good = parseSuite(what, begin, thenBody, &header);
  if (isClause(token(), TokenKind::KwElif, blockIndent)) {
    Nesting nesting(*this);
    if (!nesting) {
      recover(blockIndent);
      // The rest of the chain would only repeat the error.
      while (token().indent == blockIndent &&
             (token().kind == TokenKind::KwElif || token().kind == TokenKind::KwElse)) {
        statementStart = index;
        recover(blockIndent);
      }
      return nullptr;
    }
    Stmt *elif = parseIf(/*isElif=*/true);
    good &= elif != nullptr;
    if (elif)
      elseBody = module.copy(llvm::ArrayRef<Stmt *>(elif));
  } else {
    good &= parseElse("else", elseBody);
  }
  if (!good)
    return nullptr;
  return finish(module.make<If>(rangeFrom(begin), condition, thenBody, elseBody, isElif, header),
                condition, thenBody, elseBody);
}

Stmt *Parser::parseFor() {
  uint32_t begin = token().begin;
  advance();
  Expr *target = parseTargetList();
  if (target && checkTarget(target, "assign to") && !accept(TokenKind::KwIn))
    failExpected("'in'");
  Expr *iter = panicking ? nullptr : parseExpressionList();
  Block body, elseBody;
  SourceRange header;
  bool good = parseSuite("for", begin, body, &header);
  good &= parseElse("else", elseBody);
  if (!good)
    return nullptr;
  return finish(module.make<For>(rangeFrom(begin), target, iter, body, elseBody, header), target,
                iter, body, elseBody);
}

Stmt *Parser::parseWhile() {
  uint32_t begin = token().begin;
  advance();
  Expr *condition = parseNamedExpression();
  Block body, elseBody;
  SourceRange header;
  bool good = parseSuite("while", begin, body, &header);
  good &= parseElse("else", elseBody);
  if (!good)
    return nullptr;
  return finish(module.make<While>(rangeFrom(begin), condition, body, elseBody, header), condition,
                body, elseBody);
}

//===- with, try ----------------------------------------------------------------------------===//

Stmt *Parser::parseWith() {
  uint32_t begin = token().begin;
  advance();
  llvm::SmallVector<WithItem, 2> items;
  parseWithItems(items);
  Block body;
  SourceRange header;
  if (!parseSuite("with", begin, body, &header))
    return nullptr;
  llvm::SmallVector<Expr *, 4> children;
  for (const WithItem &item : items)
    children.append({item.context, item.target});
  return finish(module.make<With>(rangeFrom(begin), module.copy(items), body, header),
                llvm::ArrayRef<Expr *>(children), body);
}

bool Parser::parseWithItems(llvm::SmallVectorImpl<WithItem> &items) {
  // `with (a as b, c as d):` - the bracket belongs to the statement when the colon follows its
  // partner and it encloses a list.
  bool inParentheses = false;
  if (is(TokenKind::LParen)) {
    unsigned open = 0;
    bool isItemList = false;
    for (uint32_t i = index; tokens[i].kind != TokenKind::EndOfFile; ++i) {
      TokenKind k = tokens[i].kind;
      if (k == TokenKind::LParen || k == TokenKind::LBracket || k == TokenKind::LBrace)
        ++open;
      else if (k == TokenKind::RParen || k == TokenKind::RBracket || k == TokenKind::RBrace)
        --open;
      else if (open == 1 && (k == TokenKind::KwAs || k == TokenKind::Comma))
        isItemList = true;
      if (open == 0) {
        inParentheses = isItemList && tokens[i + 1].kind == TokenKind::Colon;
        break;
      }
    }
  }
  if (inParentheses)
    advance();
  do {
    if (inParentheses && is(TokenKind::RParen))
      break;
    WithItem item = {};
    item.context = parseExpression();
    if (!item.context)
      return false;
    if (accept(TokenKind::KwAs)) {
      item.target = parseTarget();
      if (!item.target || !checkTarget(item.target, "assign to"))
        return false;
    }
    items.push_back(item);
  } while (accept(TokenKind::Comma));
  return !inParentheses || expect(TokenKind::RParen);
}

Stmt *Parser::parseTry() {
  uint32_t begin = token().begin;
  advance();
  Block body, elseBody, finallyBody;
  bool good = parseSuite("try", begin, body);
  llvm::SmallVector<ExceptHandler, 2> handlers;
  unsigned height = heightOf(body);
  while (isClause(token(), TokenKind::KwExcept, blockIndent)) {
    statementStart = index;
    uint32_t handlerBegin = token().begin;
    advance();
    accept(TokenKind::Star);
    ExceptHandler handler = {};
    if (!is(TokenKind::Colon)) {
      handler.type = parseExpressionList();
      if (handler.type)
        parseAlias(handler.name);
    }
    good &= parseSuite("except", handlerBegin, handler.body);
    height = std::max({height, heightOf(handler.type), heightOf(handler.body)});
    handlers.push_back(handler);
  }
  if (!handlers.empty())
    good &= parseElse("else", elseBody);
  bool hasFinally = isClause(token(), TokenKind::KwFinally, blockIndent);
  if (hasFinally) {
    statementStart = index;
    uint32_t finallyBegin = token().begin;
    advance();
    good &= parseSuite("finally", finallyBegin, finallyBody);
  }
  if (good && handlers.empty() && !hasFinally) {
    fail({module.file, previousEnd, previousEnd}, "expected an 'except' or 'finally' block");
    panicking = false;
    return nullptr;
  }
  if (!good)
    return nullptr;
  Try *node =
      module.make<Try>(rangeFrom(begin), body, module.copy(handlers), elseBody, finallyBody);
  if (!finish(node, elseBody, finallyBody))
    return nullptr;
  if (height + 1 > maxNesting)
    return failTooDeep(node->range);
  node->height = std::max(node->height, static_cast<uint16_t>(height + 1));
  return node;
}

/// `else`, `except`, ... without the statement that they belong to.
Stmt *Parser::parseOrphanClause() {
  llvm::StringRef word = getTokenSpelling(kind());
  const char *owner = is(TokenKind::KwElif)   ? "'if'"
                      : is(TokenKind::KwElse) ? "'if', 'for', 'while' or 'try'"
                                              : "'try'";
  // A wrong indentation has been reported already, and is why the owner was not found.
  if (reportedTabs || index == badIndentToken)
    panicking = true;
  fail(currentRange(), "'" + word + "' without a matching " + owner);
  Block ignored;
  parseSuite(word, token().begin, ignored);
  return nullptr;
}

//===- def, class ---------------------------------------------------------------------------===//

Stmt *Parser::parseDecorated() {
  uint32_t begin = token().begin;
  llvm::SmallVector<Expr *, 2> decorators;
  bool good = true;
  while (is(TokenKind::At) && token().indent == blockIndent) {
    statementStart = index;
    advance();
    Expr *decorator = parseNamedExpression();
    if (decorator && !is(TokenKind::Newline))
      failExpected("end of line after a decorator");
    if (panicking) {
      good = false;
      recover(blockIndent);
      continue;
    }
    decorators.push_back(decorator);
    accept(TokenKind::Newline);
  }
  statementStart = index;
  bool isAsyncDef = is(TokenKind::KwAsync) && peekKind() == TokenKind::KwDef;
  bool isDefinition = (is(TokenKind::KwDef) || is(TokenKind::KwClass) || isAsyncDef) &&
                      token().indent == blockIndent && !atEnd();
  if (!isDefinition) {
    // An error in a decorator may have swallowed the definition.
    if (good)
      fail(decorators.back()->range, "expected a function or class after this decorator");
    panicking = false;
    return nullptr;
  }
  llvm::ArrayRef<Expr *> stored = module.copy(decorators);
  Stmt *statement = nullptr;
  if (is(TokenKind::KwClass)) {
    statement = parseClass(stored, begin);
  } else {
    accept(TokenKind::KwAsync);
    statement = parseFunction(stored, begin);
    if (auto *function = llvm::dyn_cast_or_null<FunctionDef>(statement))
      function->isAsync = isAsyncDef;
  }
  return good ? statement : nullptr;
}

/// `[T, *U]` after the name of a function, class or type: read and forgotten.
bool Parser::skipTypeParameters() {
  if (!accept(TokenKind::LBracket))
    return true;
  llvm::SmallVector<Param, 2> ignored;
  return parseParameters(TokenKind::RBracket, /*annotated=*/true, ignored) &&
         expect(TokenKind::RBracket);
}

/// From the name to the return annotation.
bool Parser::parseFunctionSignature(FunctionDef &function) {
  const Token &name = token();
  if (!is(TokenKind::Identifier)) {
    failExpected("a function name after 'def'");
    return false;
  }
  function.name = textOf(name);
  function.nameRange = rangeOf(name);
  advance();
  if (!skipTypeParameters())
    return false;
  if (!expect(TokenKind::LParen, " after the function name"))
    return false;
  llvm::SmallVector<Param, 8> params;
  if (!parseParameters(TokenKind::RParen, /*annotated=*/true, params))
    return false;
  advance();
  function.params = module.copy(params);
  if (accept(TokenKind::Arrow)) {
    function.returns = parseExpressionList();
    return function.returns != nullptr;
  }
  return true;
}

Stmt *Parser::parseFunction(llvm::ArrayRef<Expr *> decorators, uint32_t begin) {
  uint32_t headerBegin = token().begin;
  advance();
  FunctionDef *function = module.make<FunctionDef>(SourceRange());
  function->decorators = decorators;
  function->parent = parent;
  parseFunctionSignature(*function);
  auto late = context.lateDecorators.find(function->name);
  if (late != context.lateDecorators.end() && !parent) {
    llvm::SmallVector<Expr *, 4> all(late->second.begin(), late->second.end());
    all.append(decorators.begin(), decorators.end());
    function->decorators = module.copy(all);
  }
  DecoratorFacts facts = analyzeDecorators(function->decorators, context.foreignNames);
  function->isJit = facts.isJit;
  function->isConstexprFunction = facts.isConstexprFunction;
  function->noinline = facts.noinline;
  // Functions nested in this one come after it.
  size_t listPosition = context.deviceFunctions.size();
  if (facts.isDevice)
    context.deviceFunctions.push_back(function);

  Stmt *outerParent = parent;
  parent = function;
  bool good = parseSuite("def", headerBegin, function->body, &function->headerRange);
  parent = outerParent;
  function->range = rangeFrom(begin);
  if (good && !function->body.empty())
    if (auto *first = llvm::dyn_cast<ExprStmt>(function->body.front()))
      if (auto *text = llvm::dyn_cast<StringLiteral>(first->value))
        function->docstring = text->isBytes ? nullptr : text;
  if (good && finish(function, decorators, function->params, function->returns, function->body))
    return function;
  // Whatever was found inside has lost its parent.
  context.deviceFunctions.truncate(listPosition);
  return nullptr;
}

bool Parser::parseClassSignature(ClassDef &classDef) {
  const Token &name = token();
  if (!is(TokenKind::Identifier)) {
    failExpected("a class name after 'class'");
    return false;
  }
  classDef.name = textOf(name);
  classDef.nameRange = rangeOf(name);
  advance();
  if (!skipTypeParameters())
    return false;
  if (!accept(TokenKind::LParen))
    return true;
  llvm::SmallVector<Expr *, 4> bases;
  llvm::SmallVector<KeywordArg, 4> keywords;
  if (!parseArguments(TokenKind::RParen, bases, keywords))
    return false;
  classDef.bases = module.copy(bases);
  classDef.keywords = module.copy(keywords);
  return true;
}

Stmt *Parser::parseClass(llvm::ArrayRef<Expr *> decorators, uint32_t begin) {
  uint32_t headerBegin = token().begin;
  advance();
  ClassDef *classDef = module.make<ClassDef>(SourceRange());
  classDef->decorators = decorators;
  classDef->parent = parent;
  parseClassSignature(*classDef);
  size_t listPosition = context.deviceFunctions.size();
  Stmt *outerParent = parent;
  parent = classDef;
  bool good = parseSuite("class", headerBegin, classDef->body);
  parent = outerParent;
  classDef->range = rangeFrom(begin);
  if (good && finish(classDef, decorators, classDef->bases, classDef->keywords, classDef->body))
    return classDef;
  context.deviceFunctions.truncate(listPosition);
  return nullptr;
}

//===- Constructs without a node ------------------------------------------------------------===//

Stmt *Parser::parseAsync() {
  uint32_t begin = token().begin;
  switch (peekKind()) {
  case TokenKind::KwDef: {
    advance();
    Stmt *statement = parseFunction({}, begin);
    if (auto *function = llvm::dyn_cast_or_null<FunctionDef>(statement))
      function->isAsync = true;
    return statement;
  }
  case TokenKind::KwFor:
    return skipUnsupportedBlock("async for", begin);
  case TokenKind::KwWith:
    return skipUnsupportedBlock("async with", begin);
  default:
    advance();
    failExpected("'def', 'for' or 'with' after 'async'");
    return nullptr;
  }
}

/// `match` is a name unless its line ends in a colon and the next one is a deeper `case`.
bool Parser::looksLikeMatch() const {
  unsigned open = 0;
  for (uint32_t i = index + 1; tokens[i].kind != TokenKind::EndOfFile; ++i) {
    const Token &t = tokens[i];
    if (t.startsLine && open == 0)
      return tokens[i - 1].kind == TokenKind::Colon && t.indent > blockIndent &&
             textOf(t) == "case";
    if (t.kind == TokenKind::LParen || t.kind == TokenKind::LBracket || t.kind == TokenKind::LBrace)
      ++open;
    else if (open != 0 && (t.kind == TokenKind::RParen || t.kind == TokenKind::RBracket ||
                           t.kind == TokenKind::RBrace))
      --open;
  }
  return false;
}

/// Goes over a compound statement that has no node, its blocks unread.
Stmt *Parser::skipUnsupportedBlock(llvm::StringRef what, uint32_t begin) {
  recover(blockIndent);
  if (what == "async for" && isClause(token(), TokenKind::KwElse, blockIndent)) {
    statementStart = index;
    recover(blockIndent);
  }
  return module.make<UnsupportedStmt>(rangeFrom(begin), what);
}

//===- Headers of host code -----------------------------------------------------------------===//

bool Parser::parseDecoratorList(llvm::SmallVectorImpl<Expr *> &decorators) {
  while (accept(TokenKind::At)) {
    Expr *decorator = parseNamedExpression();
    if (!decorator)
      return false;
    decorators.push_back(decorator);
    if (!accept(TokenKind::Newline) && !atEnd())
      return false;
  }
  return atEnd();
}

bool Parser::parseFunctionHeader(FunctionDef &function) {
  function.isAsync = accept(TokenKind::KwAsync);
  uint32_t begin = token().begin;
  if (!accept(TokenKind::KwDef) || !parseFunctionSignature(function) || !is(TokenKind::Colon))
    return false;
  function.headerRange = rangeFrom(begin);
  return finish(&function, function.params, function.returns) != nullptr;
}

bool Parser::parseClassHeader(ClassDef &classDef) {
  return accept(TokenKind::KwClass) && parseClassSignature(classDef) && is(TokenKind::Colon) &&
         finish(&classDef, classDef.bases, classDef.keywords);
}

/// `if condition:` or `elif condition:`; null when it does not parse.
Expr *Parser::parseConditionHeader() {
  if (!accept(TokenKind::KwIf) && !accept(TokenKind::KwElif))
    return nullptr;
  Expr *condition = parseNamedExpression();
  return is(TokenKind::Colon) ? condition : nullptr;
}
