// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokens. The lexer makes one flat list of them and notes which tokens start a line and how far
// they are indented; where a statement ends and where a block begins is decided by the parser,
// which knows the open brackets. That keeps error recovery simple: the parser may restart at any
// line.

#ifndef TILEC_SYNTAX_LEXER_H
#define TILEC_SYNTAX_LEXER_H

#include "tilec/Support/SourceBuffer.h"

#include <string>
#include <vector>

namespace tilec {

/// Operators and brackets: name and spelling.
#define TILEC_PUNCTUATION(X)                                                                       \
  X(LParen, "(") X(RParen, ")") X(LBracket, "[") X(RBracket, "]") X(LBrace, "{") X(RBrace, "}")    \
  X(Comma, ",") X(Colon, ":") X(ColonEqual, ":=") X(Semicolon, ";") X(Dot, ".")                    \
  X(Ellipsis, "...") X(Arrow, "->") X(At, "@") X(Equal, "=")                                       \
  X(Plus, "+") X(Minus, "-") X(Star, "*") X(StarStar, "**") X(Slash, "/") X(SlashSlash, "//")      \
  X(Percent, "%") X(Less, "<") X(Greater, ">") X(LessEqual, "<=") X(GreaterEqual, ">=")            \
  X(EqualEqual, "==") X(NotEqual, "!=") X(LessLess, "<<") X(GreaterGreater, ">>")                  \
  X(Amp, "&") X(Pipe, "|") X(Caret, "^") X(Tilde, "~")                                             \
  X(PlusEqual, "+=") X(MinusEqual, "-=") X(StarEqual, "*=") X(StarStarEqual, "**=")                \
  X(SlashEqual, "/=") X(SlashSlashEqual, "//=") X(PercentEqual, "%=") X(AtEqual, "@=")             \
  X(LessLessEqual, "<<=") X(GreaterGreaterEqual, ">>=") X(AmpEqual, "&=") X(PipeEqual, "|=")       \
  X(CaretEqual, "^=")

/// Reserved words: name and spelling.
#define TILEC_KEYWORDS(X)                                                                          \
  X(False, "False") X(None, "None") X(True, "True") X(And, "and") X(As, "as")                      \
  X(Assert, "assert") X(Async, "async") X(Await, "await") X(Break, "break") X(Class, "class")      \
  X(Continue, "continue") X(Def, "def") X(Del, "del") X(Elif, "elif") X(Else, "else")              \
  X(Except, "except") X(Finally, "finally") X(For, "for") X(From, "from") X(Global, "global")      \
  X(If, "if") X(Import, "import") X(In, "in") X(Is, "is") X(Lambda, "lambda")                      \
  X(Nonlocal, "nonlocal") X(Not, "not") X(Or, "or") X(Pass, "pass") X(Raise, "raise")              \
  X(Return, "return") X(Try, "try") X(While, "while") X(With, "with") X(Yield, "yield")

enum class TokenKind : uint8_t {
  EndOfFile,
  /// Never in the token list: what the parser sees at the end of a logical line.
  Newline,
  /// Malformed text; TokenList::errors has the message.
  Error,
  Identifier,
  Integer,
  Float,
  Imaginary,
  /// Any string literal with its prefix and quotes, f-strings too.
  String,
#define X(name, spelling) name,
  TILEC_PUNCTUATION(X)
#undef X
#define X(name, spelling) Kw##name,
  TILEC_KEYWORDS(X)
#undef X
};

/// The spelling of punctuation and keywords; a description in words for the other kinds.
llvm::StringRef getTokenSpelling(TokenKind kind);
bool isKeyword(TokenKind kind);

struct Token {
  uint32_t begin;
  uint32_t end;
  /// For the first token of a line: its column from 0, tabs counted up to multiples of 8.
  uint32_t indent;
  TokenKind kind;
  /// First on its line, and the line before does not end in a backslash.
  bool startsLine;
};

/// What is wrong with an Error token.
struct LexError {
  /// Index in TokenList::tokens.
  uint32_t token;
  /// The offending bytes, a part of the token or all of it.
  uint32_t begin;
  uint32_t end;
  std::string message;
};

struct TokenList {
  /// Ends with an EndOfFile token that starts a line with indentation 0.
  std::vector<Token> tokens;
  /// In order of their tokens.
  std::vector<LexError> errors;
};

/// Splits the bytes [begin, end) of the text into tokens, in linear time. Comments and blank lines
/// leave no trace. `begin` must be the start of a line for indentations to be right.
TokenList tokenize(llvm::StringRef text, uint32_t begin, uint32_t end);

} // namespace tilec

#endif // TILEC_SYNTAX_LEXER_H
