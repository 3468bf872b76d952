// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of literals. Numbers go through APInt and APFloat, which do not depend on the locale.

#include "Literals.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/Unicode.h"

#include <limits>
#include <optional>

using namespace tilec;

static llvm::SmallString<32> dropUnderscores(llvm::StringRef spelling) {
  llvm::SmallString<32> digits;
  for (char c : spelling)
    if (c != '_')
      digits.push_back(c);
  return digits;
}

llvm::SmallVector<uint64_t, 1> tilec::decodeInteger(llvm::StringRef spelling) {
  llvm::SmallString<32> clean = dropUnderscores(spelling);
  llvm::StringRef digits = clean;
  unsigned radix = 10, bitsPerDigit = 4;
  if (digits.size() > 2 && digits[0] == '0') {
    char base = static_cast<char>(digits[1] | 0x20);
    radix = base == 'x' ? 16 : base == 'o' ? 8 : base == 'b' ? 2 : 10;
    bitsPerDigit = radix == 8 ? 3 : radix == 2 ? 1 : 4;
    if (radix != 10)
      digits = digits.drop_front(2);
  }
  uint64_t small = 0;
  if (!digits.getAsInteger(radix, small))
    return {small};
  llvm::APInt value(static_cast<unsigned>(digits.size()) * bitsPerDigit + 1, digits,
                    static_cast<uint8_t>(radix));
  unsigned words = std::max(1u, (value.getActiveBits() + 63) / 64);
  return llvm::SmallVector<uint64_t, 1>(value.getRawData(), value.getRawData() + words);
}

double tilec::decodeFloat(llvm::StringRef spelling) {
  llvm::APFloat value(llvm::APFloat::IEEEdouble());
  llvm::SmallString<32> digits = dropUnderscores(spelling);
  auto status = value.convertFromString(digits, llvm::APFloat::rmNearestTiesToEven);
  if (!status) {
    llvm::consumeError(status.takeError());
    return std::numeric_limits<double>::quiet_NaN();
  }
  return value.convertToDouble();
}

static bool appendCodePoint(uint32_t codePoint, llvm::SmallVectorImpl<char> &value) {
  if (codePoint > 0x10FFFF || (codePoint >= 0xD800 && codePoint <= 0xDFFF))
    return false;
  char buffer[UNI_MAX_UTF8_BYTES_PER_CODE_POINT];
  char *end = buffer;
  llvm::ConvertCodePointToUTF8(codePoint, end);
  value.append(buffer, end);
  return true;
}

namespace {

class StringDecoder {
public:
  StringDecoder(llvm::StringRef text, StringStyle stringStyle, llvm::SmallVectorImpl<char> &result,
                StringErrorHandler errorHandler)
      : content(text), style(stringStyle), value(result), onError(errorHandler) {}

  bool run() {
    while (offset < content.size()) {
      char c = content[offset];
      if (c == '\\' && !style.isRaw) {
        if (!decodeEscape())
          return false;
      } else if (c == '\r') {
        value.push_back('\n');
        offset += content.substr(offset).starts_with("\r\n") ? 2 : 1;
      } else if (style.isFormat && (c == '{' || c == '}')) {
        value.push_back(c);
        offset += offset + 1 < content.size() && content[offset + 1] == c ? 2 : 1;
      } else if (style.isBytes && static_cast<unsigned char>(c) >= 0x80) {
        onError(offset, offset + 1, "bytes can only contain ASCII characters");
        return false;
      } else {
        value.push_back(c);
        ++offset;
      }
    }
    return true;
  }

private:
  bool decodeEscape() {
    llvm::StringRef rest = content.substr(offset);
    if (rest.size() == 1) {
      value.push_back('\\');
      ++offset;
      return true;
    }
    char c = rest[1];
    if (std::optional<char> simple = getSimpleEscape(c)) {
      value.push_back(*simple);
      offset += 2;
      return true;
    }
    switch (c) {
    case '\n':
      offset += 2;
      return true;
    case '\r':
      offset += rest.starts_with("\\\r\n") ? 3 : 2;
      return true;
    case 'x':
      return decodeHex(2);
    case 'u':
    case 'U':
      if (!style.isBytes)
        return decodeHex(c == 'u' ? 4 : 8);
      break;
    case 'N':
      if (!style.isBytes)
        return decodeName();
      break;
    default:
      if (c >= '0' && c <= '7')
        return decodeOctal();
      break;
    }
    // Python keeps the backslash of an escape that it does not know.
    value.push_back('\\');
    ++offset;
    return true;
  }

  static std::optional<char> getSimpleEscape(char c) {
    switch (c) {
    case '\\':
    case '\'':
    case '"':
      return c;
    case 'a':
      return '\a';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'v':
      return '\v';
    default:
      return std::nullopt;
    }
  }

  bool append(uint32_t codePoint, uint32_t length) {
    if (style.isBytes) {
      value.push_back(static_cast<char>(codePoint));
    } else if (!appendCodePoint(codePoint, value)) {
      onError(offset, offset + length,
              "escape '" + content.substr(offset, length) + "' is not a Unicode character");
      return false;
    }
    offset += length;
    return true;
  }

  bool decodeHex(unsigned numDigits) {
    llvm::StringRef digits = content.substr(offset + 2, numDigits);
    uint32_t codePoint = 0;
    bool isHex = digits.size() == numDigits && llvm::all_of(digits, llvm::isHexDigit);
    if (!isHex || digits.getAsInteger(16, codePoint)) {
      unsigned valid =
          static_cast<unsigned>(llvm::find_if_not(digits, llvm::isHexDigit) - digits.begin());
      onError(offset, offset + 2 + valid,
              "expected " + llvm::Twine(numDigits) + " hexadecimal digits after '" +
                  content.substr(offset, 2) + "'");
      return false;
    }
    return append(codePoint, 2 + numDigits);
  }

  bool decodeOctal() {
    uint32_t codePoint = 0, length = 1;
    while (length <= 3 && offset + length < content.size() && content[offset + length] >= '0' &&
           content[offset + length] <= '7')
      codePoint = codePoint * 8 + static_cast<uint32_t>(content[offset + length++] - '0');
    return append(style.isBytes ? codePoint & 0xFF : codePoint, length);
  }

  bool decodeName() {
    size_t close = content.find('}', offset);
    if (!content.substr(offset + 2).starts_with("{") || close == llvm::StringRef::npos) {
      onError(offset, offset + 2, "expected a character name in braces after '\\N'");
      return false;
    }
    llvm::StringRef name = content.slice(offset + 3, close);
    std::optional<char32_t> codePoint = llvm::sys::unicode::nameToCodepointStrict(name.upper());
    if (!codePoint) {
      onError(offset, static_cast<uint32_t>(close + 1),
              "unknown Unicode character name '" + name + "'");
      return false;
    }
    return append(static_cast<uint32_t>(*codePoint), static_cast<uint32_t>(close + 1) - offset);
  }

  llvm::StringRef content;
  StringStyle style;
  llvm::SmallVectorImpl<char> &value;
  StringErrorHandler onError;
  uint32_t offset = 0;
};

} // namespace

bool tilec::decodeString(llvm::StringRef content, StringStyle style,
                         llvm::SmallVectorImpl<char> &value, StringErrorHandler onError) {
  return StringDecoder(content, style, value, onError).run();
}
