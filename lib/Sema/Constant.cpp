// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compile-time values are and how they print.

#include "tilec/Sema/Constant.h"

#include "tilec/Support/CodePoints.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

using llvm::StringRef;

namespace tilec {

bool Constant::isTrue() const {
  if (isNone())
    return false;
  if (isBool())
    return getBool();
  if (isInt())
    return !toInt().isZero();
  if (isFloat())
    return getFloat() != 0.0;
  if (isString())
    return !getString().empty();
  return true;
}

StringRef Constant::getTypeName() const {
  static constexpr StringRef names[] = {"NoneType", "bool", "int", "float", "str", "dtype"};
  return names[value.index()];
}

std::string Constant::str() const {
  if (isNone())
    return "None";
  if (isBool())
    return getBool() ? "True" : "False";
  if (isInt())
    return toInt().str();
  if (isFloat())
    return formatFloat(getFloat());
  if (isString())
    return getString();
  return getDType().str();
}

/// Python's literal for a string.
static std::string quote(StringRef text, bool onlyAscii) {
  char mark = text.contains('\'') && !text.contains('"') ? '"' : '\'';
  std::string result(1, mark);
  llvm::raw_string_ostream out(result);
  auto escape = [&](char letter, uint32_t number, unsigned digits) {
    out << '\\' << letter << llvm::utohexstr(number, /*LowerCase=*/true, digits);
  };
  for (StringRef piece : splitCodePoints(text)) {
    uint32_t number = codePointNumber(piece);
    bool isControl = number < 0x20 || (number >= 0x7F && number < 0xA0);
    if (piece == "\n")
      out << "\\n";
    else if (piece == "\r")
      out << "\\r";
    else if (piece == "\t")
      out << "\\t";
    else if (piece == "\\" || piece.front() == mark)
      out << '\\' << piece;
    else if (!isControl && (number < 0x80 || !onlyAscii))
      out << piece;
    else if (number < 0x100)
      escape('x', number, 2);
    else
      escape(number < 0x10000 ? 'u' : 'U', number, number < 0x10000 ? 4 : 8);
  }
  out << mark;
  return result;
}

std::string Constant::repr() const {
  return isString() ? quote(getString(), /*onlyAscii=*/false) : str();
}

std::string Constant::ascii() const {
  return isString() ? quote(getString(), /*onlyAscii=*/true) : str();
}

bool Constant::isIdentical(const Constant &other) const {
  if (value.index() != other.value.index())
    return false;
  if (isFloat()) {
    double a = getFloat(), b = other.getFloat();
    return (a == b && std::signbit(a) == std::signbit(b)) || (std::isnan(a) && std::isnan(b));
  }
  if (isNone())
    return true;
  if (isBool())
    return getBool() == other.getBool();
  if (isInt())
    return toInt() == other.toInt();
  if (isString())
    return getString() == other.getString();
  return getDType() == other.getDType();
}

std::string formatFloat(double number) {
  if (std::isnan(number))
    return "nan";
  if (std::isinf(number))
    return number < 0 ? "-inf" : "inf";
  char buffer[40];
  for (int precision = 1; precision <= 17; ++precision) {
    std::snprintf(buffer, sizeof(buffer), "%.*g", precision, number);
    if (std::strtod(buffer, nullptr) == number)
      break;
  }
  // Python switches to exponents at 1e16 where %g does at the precision.
  if (std::fabs(number) < 1e16 && std::fabs(number) >= 1e-4 && StringRef(buffer).contains('e'))
    std::snprintf(buffer, sizeof(buffer), "%.1f", number);
  std::string text = buffer;
  if (StringRef(text).find_first_of(".e") == StringRef::npos)
    text += ".0";
  return text;
}

FoldResult foldToInt(const Constant &operand) {
  if (operand.isBool() || operand.isInt())
    return Constant(operand.toInt());
  if (operand.isFloat()) {
    if (std::optional<PyInt> number = PyInt::fromDouble(operand.getFloat()))
      return Constant(*number);
    return FoldResult::failure("cannot convert " + operand.str() + " to an integer");
  }
  if (operand.isString()) {
    if (std::optional<PyInt> number = PyInt::fromText(operand.getString()))
      return Constant(*number);
    return FoldResult::failure("invalid literal for int(): " + operand.repr());
  }
  return FoldResult::failure("int() expects a number or a string, got '" +
                             operand.getTypeName().str() + "'");
}

FoldResult foldToFloat(const Constant &operand) {
  if (operand.isNumber())
    return Constant(operand.toDouble());
  if (!operand.isString())
    return FoldResult::failure("float() expects a number or a string, got '" +
                               operand.getTypeName().str() + "'");
  std::string text = StringRef(operand.getString()).trim().lower();
  StringRef magnitude = text;
  bool negative = magnitude.consume_front("-");
  if (!negative)
    magnitude.consume_front("+");
  double sign = negative ? -1.0 : 1.0;
  if (magnitude == "inf" || magnitude == "infinity")
    return Constant(sign * HUGE_VAL);
  if (magnitude == "nan")
    return Constant(std::nan(""));
  double number;
  if (magnitude.empty() || !(llvm::isDigit(magnitude[0]) || magnitude[0] == '.') ||
      magnitude.getAsDouble(number, /*AllowInexact=*/true))
    return FoldResult::failure("could not convert string to float: " + operand.repr());
  return Constant(sign * number);
}

namespace {

/// The parts of a format specification `[[fill]align][sign][#][0][width][,][.precision][type]`.
struct FormatSpec {
  std::string fill = " ";
  char align = 0;
  char sign = '-';
  bool alternate = false;
  unsigned width = 0;
  int precision = -1;
  char type = 0;

  bool parse(StringRef text) {
    auto isAlign = [](char c) { return c == '<' || c == '>' || c == '^' || c == '='; };
    size_t first = text.empty() ? 0 : firstCodePoint(text).size();
    if (text.size() > first && isAlign(text[first])) {
      fill = text.take_front(first).str();
      align = text[first];
      text = text.drop_front(first + 1);
    } else if (!text.empty() && isAlign(text[0])) {
      align = text[0];
      text = text.drop_front();
    }
    if (!text.empty() && StringRef("+- ").contains(text[0])) {
      sign = text[0];
      text = text.drop_front();
    }
    alternate = text.consume_front("#");
    if (text.starts_with("0")) {
      text = text.drop_front();
      if (!align) {
        fill = "0";
        align = '=';
      }
    }
    if (!text.empty() && llvm::isDigit(text[0]) && text.consumeInteger(10, width))
      return false;
    unsigned digits;
    if (text.consume_front(".")) {
      if (text.consumeInteger(10, digits) || digits > 100)
        return false;
      precision = static_cast<int>(digits);
    }
    if (text.size() == 1) {
      type = text[0];
      text = "";
    }
    return text.empty() && width <= 1000;
  }
};

} // namespace

/// The first `count` code points, or all where there are fewer.
static std::string takeCodePoints(StringRef text, size_t count) {
  std::vector<StringRef> pieces = splitCodePoints(text);
  if (count < pieces.size())
    text = text.take_front(size_t(pieces[count].data() - text.data()));
  return text.str();
}

static std::string signOf(bool isNegative, const FormatSpec &spec) {
  return isNegative ? "-" : spec.sign == '-' ? "" : std::string(1, spec.sign);
}

namespace {
/// A value as text, without what fills the width; the prefix is its sign and radix.
struct FormattedText {
  std::string prefix, digits;
};
} // namespace

static FormattedText formatInteger(const PyInt &number, const FormatSpec &spec) {
  PyInt magnitude = number.isNegative() ? number.negate() : number;
  unsigned radix = spec.type == 'x' || spec.type == 'X' ? 16
                   : spec.type == 'o'                   ? 8
                   : spec.type == 'b'                   ? 2
                                                        : 10;
  llvm::SmallString<40> digits;
  magnitude.toBits(PyInt::bitLimit + 1)
      .toString(digits, radix, /*Signed=*/false, /*formatAsCLiteral=*/false,
                /*UpperCase=*/spec.type == 'X');
  std::string prefix = signOf(number.isNegative(), spec);
  if (spec.alternate && radix != 10)
    prefix += std::string("0") + spec.type;
  return {prefix, digits.str().str()};
}

/// Nothing where the text gets too long.
static std::optional<FormattedText> formatReal(double number, const FormatSpec &spec) {
  bool isPercent = spec.type == '%';
  number *= isPercent ? 100.0 : 1.0;
  std::string sign = signOf(std::signbit(number), spec);
  if (!spec.type && spec.precision < 0)
    return FormattedText{sign, formatFloat(std::fabs(number))};
  char format[] = {'%', '.', '*', isPercent ? 'f' : spec.type ? spec.type : 'g', 0};
  std::string buffer(512, '\0');
  int length = std::snprintf(buffer.data(), buffer.size(), format,
                             spec.precision < 0 ? 6 : spec.precision, std::fabs(number));
  if (length < 0 || static_cast<size_t>(length) >= buffer.size())
    return std::nullopt;
  return FormattedText{sign, buffer.substr(0, length) + (isPercent ? "%" : "")};
}

/// Fills the width on the sides that the alignment leaves; `=` fills behind the sign.
static std::string fillWidth(const FormattedText &text, const FormatSpec &spec, char align) {
  size_t length = text.prefix.size() + countCodePoints(text.digits);
  size_t padding = spec.width > length ? spec.width - length : 0;
  size_t left = align == '<' || align == '=' ? 0 : align == '^' ? padding / 2 : padding;
  size_t right = align == '=' ? 0 : padding - left;
  auto fill = [&](size_t count) {
    std::string filled;
    for (; count > 0; --count)
      filled += spec.fill;
    return filled;
  };
  std::string inner = align == '=' ? fill(padding) : "";
  return fill(left) + text.prefix + inner + text.digits + fill(right);
}

FoldResult formatConstant(const Constant &value, StringRef specText) {
  if (specText.empty())
    return Constant(value.str());
  FormatSpec spec;
  auto invalid = [&] {
    return FoldResult::failure("invalid format '" + specText.str() + "' for a value of type '" +
                               value.getTypeName().str() + "'");
  };
  if (!spec.parse(specText))
    return invalid();

  std::optional<FormattedText> text;
  bool isText = !value.isNumber() || (value.isBool() && !spec.type);
  bool isInteger = value.isInt() || (value.isBool() && spec.type);
  if (isInteger && StringRef("dxXob").contains(spec.type ? spec.type : 'd')) {
    text = formatInteger(value.toInt(), spec);
  } else if (value.isNumber() && StringRef("eEfFgG%").contains(spec.type ? spec.type : 'g') &&
             (spec.type || value.isFloat())) {
    text = formatReal(value.toDouble(), spec);
  } else if (isText && (!spec.type || spec.type == 's')) {
    text.emplace();
    text->digits = value.str();
    if (spec.precision >= 0)
      text->digits = takeCodePoints(text->digits, size_t(spec.precision));
  }
  if (!text)
    return invalid();
  return Constant(fillWidth(*text, spec, spec.align ? spec.align : isText ? '<' : '>'));
}

} // namespace tilec
