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
#define TILEC_PUNCTUATION(name, spelling) name,
#define TILEC_KEYWORD(name, spelling) Kw##name,
#include "tilec/Syntax/Tokens.def"
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
