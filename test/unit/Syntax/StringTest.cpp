// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// String literals: escapes, prefixes, concatenation, and the parts of f-strings.

#include "ParsedText.h"

using namespace tilec;

/// The value of a string literal, or the errors.
static std::string valueOf(llvm::StringRef text) {
  ParsedText parsed(text);
  const auto *statement = parsed.get<ast::ExprStmt>();
  if (!statement)
    return parsed.errors();
  const auto *literal = llvm::dyn_cast<ast::StringLiteral>(statement->value);
  return literal ? literal->value.str() : "not a string";
}

TEST(String, escapes) {
  EXPECT_EQ(valueOf(R"('a\n\t\\\'\"\x41\101\u00e9\U0001F600')"),
            "a\n\t\\'\"AA\xC3\xA9\xF0\x9F\x98\x80");
  EXPECT_EQ(valueOf("'a\\\nb'"), "ab");
  EXPECT_EQ(valueOf("'a\\\r\nb'"), "ab");
  EXPECT_EQ(valueOf(R"('\d')"), "\\d") << "unknown escapes stay";
  EXPECT_EQ(valueOf(R"('\0')"), std::string(1, '\0'));
  EXPECT_EQ(valueOf(R"('\N{GREEK SMALL LETTER ALPHA}')"), "\xCE\xB1");
}

TEST(String, prefixes) {
  EXPECT_EQ(valueOf(R"(r'\n')"), "\\n");
  EXPECT_EQ(valueOf(R"(R'\'')"), "\\'");
  EXPECT_EQ(valueOf(R"(u'x')"), "x");
  EXPECT_EQ(exprTree(R"(b'\xff')"), "StringLiteral bytes \"\\FF\"\n");
  EXPECT_EQ(valueOf(R"(b'\u0041')"), "\\u0041");
}

TEST(String, triple_quotes_and_line_ends) {
  EXPECT_EQ(valueOf("'''a\nb'c''d'''"), "a\nb'c''d");
  EXPECT_EQ(valueOf("'''a\r\nb\rc'''"), "a\nb\nc");
  EXPECT_EQ(valueOf("\"\"\"\"a\\\"\"\"\""), "\"a\"");
}

TEST(String, adjacent_literals_are_one) {
  EXPECT_EQ(valueOf("'a' \"b\" r'\\c'"), "ab\\c");
  EXPECT_EQ(valueOf("('a'\n'b')"), "ab");
}

TEST(String, malformed_escapes) {
  EXPECT_EQ(valueOf(R"(x = 'ab\x4')"), "1:8 expected 2 hexadecimal digits after '\\x'\n");
  EXPECT_EQ(valueOf(R"('\u12g4')"), "1:2 expected 4 hexadecimal digits after '\\u'\n");
  EXPECT_EQ(valueOf(R"('\ud800')"), "1:2 escape '\\ud800' is not a Unicode character\n");
  EXPECT_EQ(valueOf(R"('\U00110000')"), "1:2 escape '\\U00110000' is not a Unicode character\n");
  EXPECT_EQ(valueOf(R"('\N{NO SUCH}')"), "1:2 unknown Unicode character name 'NO SUCH'\n");
  EXPECT_EQ(valueOf(R"('\N')"), "1:2 expected a character name in braces after '\\N'\n");
  EXPECT_EQ(valueOf("b'\xC3\xA9'"), "1:3 bytes can only contain ASCII characters\n");
  EXPECT_EQ(valueOf("'a' b'b'"), "1:5 cannot mix bytes and other strings in one literal\n");
}

TEST(FString, parts) {
  EXPECT_EQ(exprTree("f'a{b}c{{d}}'"), "FString\n"
                                       "  Text \"a\"\n"
                                       "  Field\n"
                                       "    Name b\n"
                                       "  Text \"c{d}\"\n");
  EXPECT_EQ(exprTree("f''"), "FString\n");
  EXPECT_EQ(exprTree("f'{a}{b}'"), "FString\n  Field\n    Name a\n  Field\n    Name b\n");
}

TEST(FString, conversion_and_format) {
  EXPECT_EQ(exprTree("f'{a!r:>{w}.2f}'"), "FString\n"
                                          "  Field !r\n"
                                          "    Name a\n"
                                          "    spec: FString\n"
                                          "      Text \">\"\n"
                                          "      Field\n"
                                          "        Name w\n"
                                          "      Text \".2f\"\n");
}

TEST(FString, debug_form_keeps_the_text) {
  EXPECT_EQ(exprTree("f'{ a + b = }'"), "FString\n"
                                        "  Field \" a + b = \"\n"
                                        "    Binary +\n"
                                        "      Name a\n"
                                        "      Name b\n");
  EXPECT_EQ(exprTree("f'{a == b}'"), "FString\n"
                                     "  Field\n"
                                     "    Compare ==\n"
                                     "      Name a\n"
                                     "      Name b\n");
}

TEST(FString, nested_quotes) {
  EXPECT_EQ(exprTree("f'{a[\"k\"]}'"), exprTree("f'{a['k']}'"));
  EXPECT_EQ(exprTree("f\"{f'{x}'}\""), "FString\n"
                                       "  Field\n"
                                       "    FString\n"
                                       "      Field\n"
                                       "        Name x\n");
}

TEST(FString, concatenation_joins_text) {
  EXPECT_EQ(exprTree("'a' f'b{c}d' 'e' rf'\\f'"), "FString\n"
                                                  "  Text \"ab\"\n"
                                                  "  Field\n"
                                                  "    Name c\n"
                                                  "  Text \"de\\\\f\"\n");
}

TEST(FString, several_lines) {
  EXPECT_EQ(exprTree("f'''{\n  a\n}'''"), "FString\n  Field\n    Name a\n");
}

TEST(FString, locations_are_those_of_the_file) {
  ParsedText parsed("x = f'ab{c + }'\n");
  EXPECT_EQ(parsed.errors(), "1:13 expected an expression, got end of expression\n");
}

TEST(FString, malformed) {
  EXPECT_EQ(ParsedText("f'{'").errors(), "1:3 '{' in an f-string was never closed\n");
  EXPECT_EQ(ParsedText("f'}'").errors(), "1:3 single '}' in an f-string, write '}}'\n");
  EXPECT_EQ(ParsedText("f'{}'").errors(), "1:3 expected an expression after '{' in an f-string\n");
  EXPECT_EQ(ParsedText("f'{a!x}'").errors(),
            "1:5 expected '!r', '!s' or '!a' in an f-string, got '!x'\n");
  EXPECT_EQ(ParsedText("f'{a b}'").errors(), "1:6 expected end of expression, got 'b'\n");
}
