// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parser's foundation: walking over tokens, logical lines, errors and recovery from them.

#include "ParserImpl.h"

#include <algorithm>

using namespace tilec;
using namespace tilec::ast;

static bool isOpening(TokenKind kind) {
  return kind == TokenKind::LParen || kind == TokenKind::LBracket || kind == TokenKind::LBrace;
}

static bool isClosing(TokenKind kind) {
  return kind == TokenKind::RParen || kind == TokenKind::RBracket || kind == TokenKind::RBrace;
}

/// Keywords that begin a statement and nothing else, so that inside brackets they show that a
/// closing bracket is missing.
static bool beginsStatementOnly(TokenKind kind) {
  switch (kind) {
  case TokenKind::KwAssert:
  case TokenKind::KwBreak:
  case TokenKind::KwClass:
  case TokenKind::KwContinue:
  case TokenKind::KwDef:
  case TokenKind::KwDel:
  case TokenKind::KwElif:
  case TokenKind::KwGlobal:
  case TokenKind::KwImport:
  case TokenKind::KwNonlocal:
  case TokenKind::KwPass:
  case TokenKind::KwRaise:
  case TokenKind::KwReturn:
  case TokenKind::KwTry:
  case TokenKind::KwWhile:
  case TokenKind::KwWith:
    return true;
  default:
    return false;
  }
}

//===- Tokens -------------------------------------------------------------------------------===//

TokenKind Parser::peekKind() const {
  if (atNewline || token().kind == TokenKind::EndOfFile)
    return TokenKind::EndOfFile;
  const Token &next = tokens[index + 1];
  bool isOtherLine = next.startsLine && brackets.empty() && !joinLines;
  return isOtherLine ? TokenKind::Newline : next.kind;
}

void Parser::advance() {
  if (atNewline) {
    atNewline = false;
    return;
  }
  const Token &current = token();
  if (current.kind == TokenKind::EndOfFile)
    return;
  previousEnd = current.end;
  if (isOpening(current.kind))
    brackets.push_back(index);
  else if (isClosing(current.kind) && !brackets.empty())
    brackets.pop_back();
  ++index;
  atNewline = !joinLines && brackets.empty() && token().startsLine;
}

bool Parser::accept(TokenKind wanted) {
  if (!is(wanted))
    return false;
  advance();
  return true;
}

SourceRange Parser::currentRange() const {
  if (atNewline || token().kind == TokenKind::EndOfFile)
    return {module.file, previousEnd, previousEnd};
  return rangeOf(token());
}

std::string Parser::describeCurrent() const {
  TokenKind current = kind();
  switch (current) {
  case TokenKind::Newline:
    return "end of line";
  case TokenKind::EndOfFile:
    return joinLines ? "end of expression" : "end of file";
  case TokenKind::String:
    return "a string";
  case TokenKind::Identifier:
  case TokenKind::Integer:
  case TokenKind::Float:
  case TokenKind::Imaginary: {
    constexpr size_t longest = 40;
    llvm::StringRef text = textOf(token());
    if (text.size() > longest)
      return getTokenSpelling(current).str();
    return ("'" + text + "'").str();
  }
  default:
    return ("'" + getTokenSpelling(current) + "'").str();
  }
}

//===- Errors -------------------------------------------------------------------------------===//

Diagnostic *Parser::fail(SourceRange range, const llvm::Twine &message) {
  if (panicking)
    return nullptr;
  panicking = true;
  hadError = true;
  return &diagnostics.error(range, message, "syntax");
}

/// Reports the limit once for every statement of the file: what is around it would repeat it.
std::nullptr_t Parser::failTooDeep(SourceRange range) {
  panicking |= reportedTooDeep;
  reportedTooDeep = true;
  range.end = std::min(range.end, range.begin + 1);
  fail(range, "nesting too deep: the limit is " + llvm::Twine(maxNesting) + " levels");
  return nullptr;
}

const LexError *Parser::findLexError() const {
  auto found = std::lower_bound(
      list.errors.begin(), list.errors.end(), index,
      [](const LexError &error, uint32_t position) { return error.token < position; });
  return found != list.errors.end() && found->token == index ? &*found : nullptr;
}

/// Whether the brackets that are open here get closed before the statement is over, as far as
/// indentation and keywords tell.
bool Parser::isBracketClosedLater() const {
  size_t open = brackets.size();
  for (uint32_t i = index; tokens[i].kind != TokenKind::EndOfFile; ++i) {
    const Token &t = tokens[i];
    bool leavesStatement = t.startsLine && ((t.indent <= blockIndent && !isClosing(t.kind)) ||
                                            beginsStatementOnly(t.kind));
    if (leavesStatement)
      return false;
    if (isOpening(t.kind))
      ++open;
    else if (isClosing(t.kind) && --open < brackets.size())
      return true;
  }
  return false;
}

Diagnostic *Parser::failExpected(const llvm::Twine &what) {
  if (panicking)
    return nullptr;
  bool atLineStart = !atNewline && token().startsLine && !joinLines;
  bool isStray = atLineStart || (!atNewline && beginsStatementOnly(token().kind));
  if (!brackets.empty() && isStray && !isBracketClosedLater()) {
    const Token &open = tokens[brackets.back()];
    return fail(rangeOf(open), "'" + getTokenSpelling(open.kind) + "' was never closed");
  }
  if (is(TokenKind::Error))
    if (const LexError *error = findLexError())
      return fail({module.file, error->begin, error->end}, error->message);
  if (!atNewline && isClosing(token().kind)) {
    if (brackets.empty() && !joinLines)
      return fail(currentRange(), "unmatched " + llvm::Twine(describeCurrent()));
    if (!brackets.empty()) {
      const Token &open = tokens[brackets.back()];
      static_assert(static_cast<int>(TokenKind::RParen) == static_cast<int>(TokenKind::LParen) + 1);
      if (static_cast<int>(token().kind) != static_cast<int>(open.kind) + 1) {
        Diagnostic *mismatch = fail(currentRange(), "closing " + llvm::Twine(describeCurrent()) +
                                                        " does not match opening '" +
                                                        getTokenSpelling(open.kind) + "'");
        mismatch->addNote(rangeOf(open), "'" + getTokenSpelling(open.kind) + "' is opened here");
        return mismatch;
      }
    }
  }
  if (!atNewline && index != 0 && token().begin == previousEnd) {
    // `a && b` and `a || b`, which the lexer splits.
    TokenKind before = tokens[index - 1].kind;
    if (before == token().kind && (before == TokenKind::Amp || before == TokenKind::Pipe)) {
      const char *word = before == TokenKind::Amp ? "and" : "or";
      llvm::StringRef sign = getTokenSpelling(before);
      return fail({module.file, previousEnd - 1, token().end},
                  "'" + sign + sign + "' is not an operator, use '" + word + "' or '" + sign + "'");
    }
  }
  return fail(currentRange(), "expected " + what + ", got " + describeCurrent());
}

bool Parser::expect(TokenKind wanted, llvm::StringRef where) {
  if (accept(wanted))
    return true;
  failExpected("'" + getTokenSpelling(wanted) + "'" + where);
  return false;
}

//===- Recovery -----------------------------------------------------------------------------===//

/// Goes on at the next line that is indented by at most `indent`.
void Parser::recover(uint32_t indent) {
  panicking = false;
  atNewline = false;
  brackets.clear();
  for (; tokens[index].kind != TokenKind::EndOfFile; ++index) {
    const Token &t = tokens[index];
    if (t.startsLine && index > statementStart && t.indent <= indent && !isClosing(t.kind))
      break;
    previousEnd = t.end;
  }
}

/// After an error in the header of a compound statement: goes to the first line of its block.
/// Returns false, at the next line that is not part of the statement, when it has none.
bool Parser::recoverHeader() {
  bool wasInBrackets = !brackets.empty();
  panicking = false;
  atNewline = false;
  brackets.clear();
  for (; tokens[index].kind != TokenKind::EndOfFile; ++index) {
    const Token &t = tokens[index];
    if (t.startsLine && index > statementStart) {
      if (t.indent <= blockIndent && !isClosing(t.kind))
        return false;
      bool afterColon = tokens[index - 1].kind == TokenKind::Colon;
      if (afterColon || !wasInBrackets)
        return t.indent > blockIndent;
    }
    previousEnd = t.end;
  }
  return false;
}

void Parser::stopParsing() {
  index = static_cast<uint32_t>(tokens.size() - 1);
  atNewline = false;
  panicking = false;
  brackets.clear();
}

//===- Heights ------------------------------------------------------------------------------===//

unsigned Parser::heightOf(llvm::ArrayRef<Expr *> exprs) {
  unsigned height = 0;
  for (const Expr *expr : exprs)
    height = std::max(height, heightOf(expr));
  return height;
}

unsigned Parser::heightOf(llvm::ArrayRef<KeywordArg> keywords) {
  unsigned height = 0;
  for (const KeywordArg &keyword : keywords)
    height = std::max(height, heightOf(keyword.value));
  return height;
}

unsigned Parser::heightOf(llvm::ArrayRef<Param> params) {
  unsigned height = 0;
  for (const Param &param : params)
    height = std::max({height, heightOf(param.annotation), heightOf(param.defaultValue)});
  return height;
}

unsigned Parser::heightOf(Block block) {
  unsigned height = 0;
  for (const Stmt *statement : block)
    height = std::max<unsigned>(height, statement->height);
  return height;
}
