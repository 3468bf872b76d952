// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The header of an .npy file is a Python dictionary literal with exactly three keys:
//   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
// Parsed by hand, one function per kind of value; nothing else of Python is understood.

#include "tilecrt/data/NpyFile.h"

#include <cctype>

namespace tilecrt {

namespace {

constexpr size_t maxDimensions = 32;

class HeaderParser {
public:
  explicit HeaderParser(std::string_view header) : text(header) {}

  Result<NpyHeader> parse() {
    NpyHeader header;
    bool seenDescr = false;
    bool seenOrder = false;
    bool seenShape = false;
    expect('{');
    while (failure.ok() && !take('}')) {
      std::string key = parseString();
      expect(':');
      if (key == "descr" && !seenDescr) {
        seenDescr = true;
        header.descr = parseDescr();
      } else if (key == "fortran_order" && !seenOrder) {
        seenOrder = true;
        header.fortranOrder = parseBool();
      } else if (key == "shape" && !seenShape) {
        seenShape = true;
        header.shape = parseShape();
      } else {
        fail("unexpected or repeated key '" + printable(key) + "'");
      }
      if (!take(',') && !atChar('}'))
        fail("expected ',' or '}'");
    }
    skipSpace();
    if (failure.ok() && position != text.size())
      fail("unexpected text after the dictionary");
    if (failure.ok() && !(seenDescr && seenOrder && seenShape))
      fail("'descr', 'fortran_order' and 'shape' are all needed");
    if (!failure.ok())
      return failure;
    return header;
  }

private:
  void fail(const std::string &message) {
    if (failure.ok())
      failure = invalidArgument("bad header at byte " + std::to_string(position) + ": " + message);
  }

  void skipSpace() {
    while (position < text.size() && std::isspace(static_cast<unsigned char>(text[position])))
      ++position;
  }

  bool atChar(char c) {
    skipSpace();
    return position < text.size() && text[position] == c;
  }

  bool take(char c) {
    if (!atChar(c))
      return false;
    ++position;
    return true;
  }

  void expect(char c) {
    if (!take(c))
      fail(std::string("expected '") + c + "'");
  }

  bool takeWord(std::string_view word) {
    skipSpace();
    if (text.substr(position, word.size()) != word)
      return false;
    position += word.size();
    return true;
  }

  std::string parseString() {
    skipSpace();
    if (position >= text.size() || (text[position] != '\'' && text[position] != '"')) {
      fail("expected a string");
      return "";
    }
    char quote = text[position++];
    size_t end = text.find(quote, position);
    if (end == std::string_view::npos) {
      fail("a string is not closed");
      return "";
    }
    std::string value(text.substr(position, end - position));
    position = end + 1;
    return value;
  }

  std::string parseDescr() {
    if (atChar('[')) {
      fail("a structured dtype, expected one of numbers");
      return "";
    }
    return printable(parseString());
  }

  bool parseBool() {
    if (takeWord("True"))
      return true;
    if (!takeWord("False"))
      fail("expected True or False");
    return false;
  }

  std::vector<int64_t> parseShape() {
    std::vector<int64_t> shape;
    expect('(');
    while (failure.ok() && !take(')')) {
      if (shape.size() == maxDimensions) {
        fail("more than " + std::to_string(maxDimensions) + " dimensions");
        break;
      }
      shape.push_back(parseExtent());
      if (!take(',') && !atChar(')'))
        fail("expected ',' or ')'");
    }
    return shape;
  }

  int64_t parseExtent() {
    skipSpace();
    int64_t value = 0;
    size_t first = position;
    for (; position < text.size() && std::isdigit(static_cast<unsigned char>(text[position]));
         ++position)
      if (__builtin_mul_overflow(value, int64_t(10), &value) ||
          __builtin_add_overflow(value, int64_t(text[position] - '0'), &value)) {
        fail("a dimension does not fit 64 bits");
        return 0;
      }
    if (position == first)
      fail("expected a dimension");
    // Files written by Python 2 mark long integers.
    if (position < text.size() && text[position] == 'L')
      ++position;
    return value;
  }

  /// Bytes of a damaged file must not reach a terminal as they are.
  static std::string printable(std::string value) {
    if (value.size() > 64)
      value = value.substr(0, 64) + "...";
    for (char &c : value)
      if (!std::isprint(static_cast<unsigned char>(c)))
        c = '?';
    return value;
  }

  std::string_view text;
  size_t position = 0;
  Status failure;
};

} // namespace

Result<NpyHeader> parseNpyHeader(std::string_view text) { return HeaderParser(text).parse(); }

} // namespace tilecrt
