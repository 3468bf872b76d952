// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lexer: one pass over the bytes, longest match. What is malformed becomes an Error token with
// a message beside it, so that the parser reports it when (and only if) it gets there.

#include "tilec/Syntax/Lexer.h"

#include "StringScanner.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ConvertUTF.h"

#include <algorithm>

using namespace tilec;

llvm::StringRef tilec::getTokenSpelling(TokenKind kind) {
  switch (kind) {
  case TokenKind::EndOfFile:
    return "end of file";
  case TokenKind::Newline:
    return "end of line";
  case TokenKind::Error:
    return "malformed text";
  case TokenKind::Identifier:
    return "name";
  case TokenKind::Integer:
  case TokenKind::Float:
  case TokenKind::Imaginary:
    return "number";
  case TokenKind::String:
    return "string";
#define TILEC_PUNCTUATION(name, spelling)                                                          \
  case TokenKind::name:                                                                            \
    return spelling;
#define TILEC_KEYWORD(name, spelling)                                                              \
  case TokenKind::Kw##name:                                                                        \
    return spelling;
#include "tilec/Syntax/Tokens.def"
  }
  return "";
}

bool tilec::isKeyword(TokenKind kind) { return kind >= TokenKind::KwFalse; }

static TokenKind classifyWord(llvm::StringRef word) {
  return llvm::StringSwitch<TokenKind>(word)
#define TILEC_KEYWORD(name, spelling) .Case(spelling, TokenKind::Kw##name)
#include "tilec/Syntax/Tokens.def"
      .Default(TokenKind::Identifier);
}

/// The punctuation that starts at the front of the text, by longest match; Error when there is
/// none.
static TokenKind matchPunctuation(llvm::StringRef text) {
  switch (text.front()) {
  case '(':
    return TokenKind::LParen;
  case ')':
    return TokenKind::RParen;
  case '[':
    return TokenKind::LBracket;
  case ']':
    return TokenKind::RBracket;
  case ',':
    return TokenKind::Comma;
  default:
    break;
  }
  llvm::StringRef three = text.take_front(3), two = text.take_front(2), one = text.take_front(1);
  for (llvm::StringRef candidate : {three, two, one}) {
    TokenKind kind = llvm::StringSwitch<TokenKind>(candidate)
#define TILEC_PUNCTUATION(name, spelling) .Case(spelling, TokenKind::name)
#include "tilec/Syntax/Tokens.def"
                         .Default(TokenKind::Error);
    if (kind != TokenKind::Error)
      return kind;
  }
  return TokenKind::Error;
}

/// Whether a character outside ASCII may stand in a name: letters and digits of all scripts, which
/// is approximated by leaving out the blocks of punctuation, symbols, spaces and emoji.
static bool isNameCodePoint(llvm::UTF32 c) {
  struct Block {
    llvm::UTF32 first, last;
  };
  static constexpr Block excluded[] = {
      {0x80, 0xA9},        {0xAB, 0xB4},     {0xB6, 0xB9},     {0xBB, 0xBF},     {0xD7, 0xD7},
      {0xF7, 0xF7},        {0x2000, 0x203E}, {0x2041, 0x2070}, {0x2074, 0x207E}, {0x2080, 0x208F},
      {0x20A0, 0x20CF},    {0x2190, 0x2BFF}, {0x2E00, 0x2E7F}, {0x3000, 0x3004}, {0x3008, 0x3020},
      {0xE000, 0xF8FF},    {0xFE10, 0xFE32}, {0xFE50, 0xFE6F}, {0xFEFF, 0xFEFF}, {0xFF00, 0xFF0F},
      {0xFF1A, 0xFF20},    {0xFF3B, 0xFF3E}, {0xFF5B, 0xFF65}, {0xFFE0, 0xFFFF}, {0x1F000, 0x1FAFF},
      {0xE0000, 0x10FFFF},
  };
  return c >= 0x80 && std::none_of(std::begin(excluded), std::end(excluded), [c](Block block) {
           return c >= block.first && c <= block.last;
         });
}

/// "U+00E9"
static std::string formatCodePoint(llvm::UTF32 c) {
  std::string digits = llvm::utohexstr(c);
  return "U+" + std::string(digits.size() < 4 ? 4 - digits.size() : 0, '0') + digits;
}

namespace {

class Lexer {
public:
  Lexer(llvm::StringRef source, uint32_t begin, uint32_t end)
      : text(source), strings(source.take_front(end)), offset(begin), limit(end) {}

  TokenList run() {
    while (skipBlank())
      lexToken();
    startsLine = true;
    indent = 0;
    add(TokenKind::EndOfFile, limit, limit);
    return std::move(list);
  }

private:
  char at(uint32_t position) const { return position < limit ? text[position] : '\0'; }

  void add(TokenKind kind, uint32_t begin, uint32_t end) {
    list.tokens.push_back({begin, end, startsLine ? indent : 0, kind, startsLine});
    startsLine = false;
    offset = end;
  }

  void addError(uint32_t begin, uint32_t end, const llvm::Twine &message, uint32_t tokenEnd = 0) {
    uint32_t index = static_cast<uint32_t>(list.tokens.size());
    list.errors.push_back({index, begin, end, message.str()});
    add(TokenKind::Error, begin, std::max(end, tokenEnd));
  }

  /// Moves to the next token, over blanks, comments and line ends; false at the end of the text.
  bool skipBlank() {
    while (offset < limit) {
      char c = text[offset];
      if (c == ' ') {
        ++indent;
        ++offset;
      } else if (c == '\t') {
        indent = (indent / 8 + 1) * 8;
        ++offset;
      } else if (c == '\f') {
        indent = 0;
        ++offset;
      } else if (c == '\n' || c == '\r') {
        startsLine = true;
        indent = 0;
        ++offset;
      } else if (c == '#') {
        offset = static_cast<uint32_t>(std::min<size_t>(text.find_first_of("\r\n", offset), limit));
      } else if (c == '\\' && isLineEnd(offset + 1)) {
        // The next line goes on with this statement. At the start of a line a backslash joins
        // nothing yet: the statement keeps its own indentation.
        offset += at(offset + 1) == '\r' && at(offset + 2) == '\n' ? 3 : 2;
      } else if (c == '\xEF' && offset == 0 && text.starts_with("\xEF\xBB\xBF")) {
        offset += 3;
      } else {
        return true;
      }
    }
    return false;
  }

  bool isLineEnd(uint32_t position) const {
    return position < limit && (text[position] == '\n' || text[position] == '\r');
  }

  void lexToken() {
    char c = text[offset];
    if (llvm::isDigit(c) || (c == '.' && llvm::isDigit(at(offset + 1))))
      return lexNumber();
    if (getStringPrefixLength(text.take_front(limit), offset) >= 0)
      return lexString();
    if (llvm::isAlpha(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80)
      return lexName();
    TokenKind kind = matchPunctuation(text.slice(offset, limit));
    if (kind != TokenKind::Error)
      return add(kind, offset, offset + static_cast<uint32_t>(getTokenSpelling(kind).size()));
    lexUnexpected();
  }

  void lexUnexpected() {
    char c = text[offset];
    uint32_t next = offset + 1;
    if (c == '!')
      return addError(offset, next, "'!' is not an operator, use 'not'");
    if (c == '\\')
      return addError(offset, next, "unexpected character after a line continuation '\\'");
    if (llvm::isPrint(c))
      return addError(offset, next, "unexpected character '" + llvm::Twine(c) + "'");
    addError(offset, next,
             "unexpected control character 0x" +
                 llvm::utohexstr(static_cast<unsigned char>(c), /*LowerCase=*/false, /*Width=*/2));
  }

  /// Decodes the character at an offset; a length of 0 says that it is not UTF-8.
  std::pair<llvm::UTF32, unsigned> decode(uint32_t position) const {
    const auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.data()) + position;
    const auto *end = reinterpret_cast<const llvm::UTF8 *>(text.data()) + limit;
    const llvm::UTF8 *p = begin;
    llvm::UTF32 c = 0;
    if (llvm::convertUTF8Sequence(&p, end, &c, llvm::strictConversion) != llvm::conversionOK)
      return {0, 0};
    return {c, static_cast<unsigned>(p - begin)};
  }

  void lexName() {
    uint32_t p = offset;
    while (p < limit) {
      unsigned char c = static_cast<unsigned char>(text[p]);
      if (c < 0x80) {
        if (!llvm::isAlnum(static_cast<char>(c)) && c != '_')
          break;
        ++p;
        continue;
      }
      auto [codePoint, length] = decode(p);
      if (length == 0 || !isNameCodePoint(codePoint)) {
        if (p != offset)
          break;
        if (length == 0)
          return addError(p, p + 1, "invalid UTF-8");
        return addError(p, p + length,
                        "unexpected character '" + text.substr(p, length) + "' (" +
                            formatCodePoint(codePoint) + ")");
      }
      p += length;
    }
    add(classifyWord(text.slice(offset, p)), offset, p);
  }

  void lexString() {
    ScannedString scanned = strings.scan(offset, limit);
    if (scanned.isTerminated)
      return add(TokenKind::String, offset, scanned.end);
    // The caret goes under the opening quote; the rest of a triple-quoted string is lost anyway.
    addError(offset, scanned.contentBegin,
             scanned.isTriple ? "unterminated triple-quoted string" : "unterminated string",
             scanned.end);
  }

  /// Reads digits with single underscores between them. Returns the end; `bad` gets the offset of
  /// a misplaced underscore.
  template <typename IsDigit>
  uint32_t scanDigits(uint32_t p, IsDigit isDigitOfBase, uint32_t &bad) const {
    bool lastWasDigit = false;
    while (p < limit && (isDigitOfBase(text[p]) || text[p] == '_')) {
      bool isUnderscore = text[p] == '_';
      bool nextIsDigit = p + 1 < limit && isDigitOfBase(text[p + 1]);
      if (isUnderscore && (!lastWasDigit || !nextIsDigit) && bad == 0)
        bad = p + 1;
      lastWasDigit = !isUnderscore;
      ++p;
    }
    return p;
  }

  void lexNumber() {
    uint32_t p = offset;
    uint32_t bad = 0; // One past a misplaced underscore.
    TokenKind kind = TokenKind::Integer;
    auto isDecimal = [](char c) { return llvm::isDigit(c); };
    char base = at(p) == '0' ? static_cast<char>(at(p + 1) | 0x20) : '\0';
    if ((base == 'x' || base == 'o' || base == 'b') && llvm::isAlpha(at(p + 1)))
      return lexBasedInteger(base);

    p = scanDigits(p, isDecimal, bad);
    uint32_t integerEnd = p;
    if (at(p) == '.') {
      kind = TokenKind::Float;
      ++p;
      if (llvm::isDigit(at(p)) || at(p) == '_')
        p = scanDigits(p, isDecimal, bad);
    }
    if (at(p) == 'e' || at(p) == 'E') {
      uint32_t exponent = p + 1;
      if (at(exponent) == '+' || at(exponent) == '-')
        ++exponent;
      if (llvm::isDigit(at(exponent))) {
        kind = TokenKind::Float;
        p = scanDigits(exponent, isDecimal, bad);
      }
    }
    if (at(p) == 'j' || at(p) == 'J') {
      kind = TokenKind::Imaginary;
      ++p;
    }
    if (!checkNumberEnd(p, bad, "a decimal"))
      return;
    bool leadingZero =
        kind == TokenKind::Integer && text[offset] == '0' &&
        text.slice(offset, integerEnd).find_first_not_of("0_") != llvm::StringRef::npos;
    if (leadingZero)
      return addError(offset, p,
                      "leading zeros are not permitted in a decimal integer, write '0o' for octal");
    addNumber(kind, p);
  }

  void lexBasedInteger(char base) {
    uint32_t digits = offset + 2;
    uint32_t bad = 0;
    auto isDigitOfBase = [base](char c) {
      return base == 'x' ? llvm::isHexDigit(c) : c >= '0' && c < (base == 'o' ? '8' : '2');
    };
    const char *name = base == 'x' ? "a hexadecimal" : base == 'o' ? "an octal" : "a binary";
    // An underscore may follow the prefix directly.
    uint32_t first = at(digits) == '_' && isDigitOfBase(at(digits + 1)) ? digits + 1 : digits;
    uint32_t p = scanDigits(first, isDigitOfBase, bad);
    if (!checkNumberEnd(p, bad, name))
      return;
    if (p == first)
      return addError(offset, p,
                      "expected " + llvm::StringRef(name).split(' ').second + " digits after '" +
                          text.substr(offset, 2) + "'");
    addNumber(TokenKind::Integer, p);
  }

  /// Nothing may be glued to a number. A keyword after it is tolerated, as in `1if x else 2`.
  bool checkNumberEnd(uint32_t p, uint32_t bad, llvm::StringRef base) {
    uint32_t end = p;
    while (end < limit && (llvm::isAlnum(text[end]) || text[end] == '_'))
      ++end;
    if (end != p && classifyWord(text.slice(p, end)) == TokenKind::Identifier) {
      llvm::StringRef rest = text.slice(p, end);
      if (llvm::isDigit(rest.front()))
        addError(p, p + 1, "invalid digit '" + rest.take_front(1) + "' in " + base + " number",
                 end);
      else
        addError(p, end, "invalid suffix '" + rest + "' on a number", end);
      return false;
    }
    if (bad != 0) {
      addError(bad - 1, bad, "misplaced '_' in a number", end);
      return false;
    }
    return true;
  }

  void addNumber(TokenKind kind, uint32_t end) {
    // Decimal conversion takes quadratic time, hence a limit (the one CPython has).
    constexpr uint32_t maxDigits = 4300;
    if (end - offset > maxDigits)
      return addError(offset, end,
                      "number with " + llvm::Twine(end - offset) + " digits, the limit is " +
                          llvm::Twine(maxDigits));
    add(kind, offset, end);
  }

  llvm::StringRef text;
  StringScanner strings;
  uint32_t offset;
  uint32_t limit;
  uint32_t indent = 0;
  bool startsLine = true;
  TokenList list;
};

} // namespace

TokenList tilec::tokenize(llvm::StringRef text, uint32_t begin, uint32_t end) {
  return Lexer(text, begin, end).run();
}
