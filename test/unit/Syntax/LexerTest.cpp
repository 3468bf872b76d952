// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokens: kinds, line starts and indentations, numbers, and what is malformed.

#include "tilec/Syntax/Lexer.h"

#include <gtest/gtest.h>

using namespace tilec;

/// The texts of the tokens with blanks between; '|' with the indentation stands before the first
/// of a line, errors are in angle brackets.
static std::string lex(llvm::StringRef text) {
  TokenList list = tokenize(text, 0, static_cast<uint32_t>(text.size()));
  std::string result;
  size_t error = 0;
  for (const Token &token : list.tokens) {
    if (token.kind == TokenKind::EndOfFile)
      break;
    if (!result.empty())
      result += ' ';
    if (token.startsLine)
      result += "|" + std::to_string(token.indent) + " ";
    if (token.kind == TokenKind::Error)
      result += "<" + list.errors[error++].message + ">";
    else
      result += text.slice(token.begin, token.end).str();
  }
  return result;
}

static TokenKind kindOf(llvm::StringRef text) {
  TokenList list = tokenize(text, 0, static_cast<uint32_t>(text.size()));
  EXPECT_EQ(list.tokens.size(), 2u) << text.str();
  return list.tokens.front().kind;
}

TEST(Lexer, lines_and_indentation) {
  EXPECT_EQ(lex("a\n  b c\n\n   # comment\n\td\n"), "|0 a |2 b c |8 d");
  EXPECT_EQ(lex("  \t a"), "|9 a");
  EXPECT_EQ(lex("\f  a"), "|2 a");
  EXPECT_EQ(lex("a\r\nb\rc"), "|0 a |0 b |0 c");
}

TEST(Lexer, backslash_joins_lines) {
  EXPECT_EQ(lex("a \\\n  b\nc"), "|0 a b |0 c");
  EXPECT_EQ(lex("a \\\r\n  b"), "|0 a b");
}

TEST(Lexer, byte_order_mark) {
  EXPECT_EQ(lex("\xEF\xBB\xBF"
                "a"),
            "|0 a");
}

TEST(Lexer, end_of_file_starts_a_line) {
  TokenList list = tokenize("  a", 0, 3);
  ASSERT_EQ(list.tokens.size(), 2u);
  EXPECT_EQ(list.tokens[1].kind, TokenKind::EndOfFile);
  EXPECT_TRUE(list.tokens[1].startsLine);
  EXPECT_EQ(list.tokens[1].indent, 0u);
  EXPECT_EQ(tokenize("", 0, 0).tokens.size(), 1u);
}

TEST(Lexer, a_part_of_a_text) {
  TokenList list = tokenize("aaa bbb ccc", 4, 7);
  ASSERT_EQ(list.tokens.size(), 2u);
  EXPECT_EQ(list.tokens[0].begin, 4u);
  EXPECT_EQ(list.tokens[0].end, 7u);
}

TEST(Lexer, longest_operator_wins) {
  EXPECT_EQ(lex("a**=b//=c>>=d<<=e->f:=g!=h...i"),
            "|0 a **= b //= c >>= d <<= e -> f := g != h ... i");
  EXPECT_EQ(lex("x<=y<<z<w"), "|0 x <= y << z < w");
}

TEST(Lexer, every_spelling_lexes_to_its_kind) {
#define TILEC_PUNCTUATION(name, spelling) EXPECT_EQ(kindOf(spelling), TokenKind::name);
#define TILEC_KEYWORD(name, spelling)                                                              \
  EXPECT_EQ(kindOf(spelling), TokenKind::Kw##name);                                                \
  EXPECT_TRUE(isKeyword(TokenKind::Kw##name));
#include "tilec/Syntax/Tokens.def"
}

TEST(Lexer, names) {
  EXPECT_EQ(kindOf("_x1"), TokenKind::Identifier);
  EXPECT_EQ(kindOf("iff"), TokenKind::Identifier);
  EXPECT_EQ(kindOf("\xC3\xA9t\xC3\xA9"), TokenKind::Identifier);
  EXPECT_EQ(kindOf("match"), TokenKind::Identifier);
}

TEST(Lexer, numbers) {
  for (const char *text :
       {"0", "00", "1_000", "0xFF", "0X_ff_0", "0o17", "0b1_0", "123456789012345678901234567890"})
    EXPECT_EQ(kindOf(text), TokenKind::Integer) << text;
  for (const char *text : {"1.", ".5", "1.5e-3", "1e10", "1_0.0_1E+1_0", "01.5", "0e0"})
    EXPECT_EQ(kindOf(text), TokenKind::Float) << text;
  for (const char *text : {"1j", "1.5J", "1e3j"})
    EXPECT_EQ(kindOf(text), TokenKind::Imaginary) << text;
  EXPECT_EQ(lex("1if x"), "|0 1 if x");
  EXPECT_EQ(lex("1.e"), "|0 <invalid suffix 'e' on a number>");
  EXPECT_EQ(lex("x.real"), "|0 x . real");
  EXPECT_EQ(lex("1..real"), "|0 1. . real");
}

TEST(Lexer, malformed_numbers) {
  EXPECT_EQ(lex("0x"), "|0 <expected hexadecimal digits after '0x'>");
  EXPECT_EQ(lex("0xg"), "|0 <invalid suffix 'g' on a number>");
  EXPECT_EQ(lex("0b12"), "|0 <invalid digit '2' in a binary number>");
  EXPECT_EQ(lex("0o8"), "|0 <invalid digit '8' in an octal number>");
  EXPECT_EQ(lex("012"),
            "|0 <leading zeros are not permitted in a decimal integer, write '0o' for octal>");
  EXPECT_EQ(lex("1__0"), "|0 <misplaced '_' in a number>");
  EXPECT_EQ(lex("1_"), "|0 <misplaced '_' in a number>");
  EXPECT_EQ(lex("1abc + 2"), "|0 <invalid suffix 'abc' on a number> + 2");
}

TEST(Lexer, digit_limit) {
  EXPECT_EQ(kindOf(std::string(4300, '1')), TokenKind::Integer);
  EXPECT_EQ(lex(std::string(4301, '1')), "|0 <number with 4301 digits, the limit is 4300>");
}

TEST(Lexer, strings_are_one_token) {
  for (const char *text : {"''", "\"a'b\"", "Rb\"x\"", "bR''", "u'x'", "F'{a}'", "fr'{a}'",
                           "'''a\n'b''c'''", "\"\"\"\\\"\"\"\"", "f'{a[\"b\"]}'", "f'{a['b']}'",
                           "f'{{'", "f'{a:{b}}'", "f'''{\n a}'''", "'a\\\nb'"})
    EXPECT_EQ(kindOf(text), TokenKind::String) << text;
  EXPECT_EQ(lex("ub'x'"), "|0 ub 'x'") << "not a prefix";
  EXPECT_EQ(lex("bf''"), "|0 bf ''");
  EXPECT_EQ(lex("f'{x}' f"), "|0 f'{x}' f");
}

TEST(Lexer, unterminated_strings) {
  EXPECT_EQ(lex("'abc\nd"), "|0 <unterminated string> |0 d");
  EXPECT_EQ(lex("'abc\\"), "|0 <unterminated string>");
  EXPECT_EQ(lex("'''abc\nd"), "|0 <unterminated triple-quoted string>");
}

TEST(Lexer, unexpected_characters) {
  EXPECT_EQ(lex("a ? b"), "|0 a <unexpected character '?'> b");
  EXPECT_EQ(lex("!a"), "|0 <'!' is not an operator, use 'not'> a");
  EXPECT_EQ(lex("a \\ b"), "|0 a <unexpected character after a line continuation '\\'> b");
  EXPECT_EQ(lex("\x01"), "|0 <unexpected control character 0x01>");
  EXPECT_EQ(lex("\xF0\x9F\x98\x80"), "|0 <unexpected character '\xF0\x9F\x98\x80' (U+1F600)>");
  EXPECT_EQ(lex("\xC2\xA0"), "|0 <unexpected character '\xC2\xA0' (U+00A0)>");
  EXPECT_EQ(lex("a\xE2\x80\x9C"), "|0 a <unexpected character '\xE2\x80\x9C' (U+201C)>");
}
