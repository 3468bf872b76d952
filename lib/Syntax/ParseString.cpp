// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Literals: numbers, strings with their implicit concatenation, and f-strings. The expression in a
// replacement field is parsed by a parser of its own over the same text, so that its locations are
// those of the file.

#include "Literals.h"
#include "ParserImpl.h"

using namespace tilec;
using namespace tilec::ast;

Expr *Parser::parseInteger() {
  const Token &t = token();
  advance();
  llvm::SmallVector<uint64_t, 1> words = decodeInteger(textOf(t));
  return module.make<IntLiteral>(rangeOf(t), textOf(t),
                                 module.copy(llvm::ArrayRef<uint64_t>(words)));
}

Expr *Parser::parseFloat() {
  const Token &t = token();
  advance();
  return module.make<FloatLiteral>(rangeOf(t), textOf(t), decodeFloat(textOf(t)));
}

static ScannedString rescan(llvm::StringRef text, const Token &t) {
  return StringScanner(text.take_front(t.end)).scan(t.begin, t.end);
}

/// Adjacent string literals.
Expr *Parser::parseStrings() {
  llvm::SmallVector<Token, 4> pieces;
  uint32_t begin = token().begin;
  while (is(TokenKind::String)) {
    pieces.push_back(token());
    advance();
  }
  llvm::StringRef text = context.buffer.getText();
  bool anyBytes = false, anyText = false, anyFormat = false;
  for (const Token &piece : pieces) {
    ScannedString style = rescan(text, piece);
    anyFormat |= style.isFormat;
    (style.isBytes ? anyBytes : anyText) = true;
    if (anyBytes && anyText) {
      fail(rangeOf(piece), "cannot mix bytes and other strings in one literal");
      return nullptr;
    }
  }
  SourceRange range = rangeFrom(begin);
  if (anyFormat)
    return parseFormattedStrings(pieces, range);

  llvm::SmallString<64> value;
  for (const Token &piece : pieces) {
    ScannedString style = rescan(text, piece);
    if (!decodeInto(style.contentBegin, style.contentEnd, style, /*isFormat=*/false, value))
      return nullptr;
  }
  return module.make<StringLiteral>(range, module.copyText(value), anyBytes);
}

bool Parser::decodeInto(uint32_t begin, uint32_t end, const ScannedString &style, bool isFormat,
                        llvm::SmallVectorImpl<char> &value) {
  return decodeString(context.buffer.getText().slice(begin, end),
                      {style.isRaw, style.isBytes, isFormat}, value,
                      [&](uint32_t from, uint32_t to, const llvm::Twine &message) {
                        fail({module.file, begin + from, begin + to}, message);
                      });
}

/// Gathers the parts of an f-string. Literal text is kept back until the next field, so that
/// adjacent literals become one part.
struct Parser::FStringBuilder {
  explicit FStringBuilder(Module &owner) : module(owner) {}

  void extendRun(SourceRange range) {
    if (run.empty())
      runRange = range;
    runRange.end = range.end;
  }

  void flush() {
    if (run.empty())
      return;
    FStringPart part;
    part.range = runRange;
    part.text = module.copyText(run);
    parts.push_back(part);
    run.clear();
  }

  /// The finished node; null when it is too high.
  FString *build(SourceRange range) {
    flush();
    unsigned height = 0;
    for (const FStringPart &part : parts)
      height = std::max({height, heightOf(part.value), heightOf(part.spec)});
    if (height + 1 > maxNesting)
      return nullptr;
    FString *result = module.make<FString>(range, module.copy(parts));
    result->height = static_cast<uint16_t>(height + 1);
    return result;
  }

  Module &module;
  llvm::SmallVector<FStringPart, 4> parts;
  llvm::SmallString<64> run;
  SourceRange runRange;
};

Expr *Parser::parseFormattedStrings(llvm::ArrayRef<Token> pieces, SourceRange range) {
  FStringBuilder builder(module);
  for (const Token &piece : pieces) {
    ScannedString style = rescan(context.buffer.getText(), piece);
    if (style.isFormat) {
      if (!parseFormatContent(style.contentBegin, style.contentEnd, style, /*isSpec=*/false,
                              builder))
        return nullptr;
      continue;
    }
    builder.extendRun(rangeOf(piece));
    if (!decodeInto(style.contentBegin, style.contentEnd, style, /*isFormat=*/false, builder.run))
      return nullptr;
  }
  FString *result = builder.build(range);
  return result ? result : failTooDeep(range);
}

/// Splits the content of an f-string, or of a format specification, into parts.
bool Parser::parseFormatContent(uint32_t begin, uint32_t end, const ScannedString &style,
                                bool isSpec, FStringBuilder &builder) {
  llvm::StringRef text = context.buffer.getText();
  uint32_t runBegin = begin;
  auto addRun = [&](uint32_t runEnd) {
    if (runBegin == runEnd)
      return true;
    builder.extendRun({module.file, runBegin, runEnd});
    return decodeInto(runBegin, runEnd, style, /*isFormat=*/!isSpec, builder.run);
  };
  for (uint32_t p = begin; p < end;) {
    char c = text[p];
    bool isDoubled = p + 1 < end && text[p + 1] == c;
    if (c == '\\' && !style.isRaw && text.slice(p, end).starts_with("\\N{")) {
      p = static_cast<uint32_t>(std::min<size_t>(text.find('}', p), end - 1)) + 1;
    } else if (c == '\\') {
      bool beforeBrace = p + 1 < end && (text[p + 1] == '{' || text[p + 1] == '}');
      p += beforeBrace ? 1 : 2;
    } else if (!isSpec && isDoubled && (c == '{' || c == '}')) {
      p += 2;
    } else if (c == '}') {
      fail({module.file, p, p + 1}, "single '}' in an f-string, write '}}'");
      return false;
    } else if (c == '{') {
      if (!addRun(p))
        return false;
      builder.flush();
      ScannedField field = scanField(text, p + 1, end);
      if (!field.isTerminated) {
        fail({module.file, p, p + 1}, "'{' in an f-string was never closed");
        return false;
      }
      FStringPart part;
      if (!parseFormatField(p, field, style, part))
        return false;
      builder.parts.push_back(part);
      p = runBegin = field.end;
    } else {
      ++p;
    }
  }
  return addRun(end);
}

/// One `{expression=!r:spec}`, whose brace is at `open`.
bool Parser::parseFormatField(uint32_t open, const ScannedField &field, const ScannedString &style,
                              FStringPart &part) {
  llvm::StringRef text = context.buffer.getText();
  part.range = {module.file, open, field.end};
  if (text.slice(open + 1, field.expressionEnd).trim().empty()) {
    fail({module.file, open, open + 1}, "expected an expression after '{' in an f-string");
    return false;
  }
  Nesting nesting(*this);
  if (!nesting)
    return false;
  Parser inner(context, diagnostics, tokenize(text, open + 1, field.expressionEnd));
  part.value = inner.parseWholeExpression(depth);
  if (!part.value) {
    panicking = hadError = true;
    return false;
  }
  if (field.isDebug) {
    size_t equal = text.find('=', field.expressionEnd);
    size_t textEnd = text.find_first_not_of(" \t", equal + 1);
    part.text = text.slice(open + 1, textEnd);
  }
  if (field.conversionBegin != 0) {
    llvm::StringRef conversion = text.slice(field.conversionBegin, field.conversionEnd);
    if (conversion != "r" && conversion != "s" && conversion != "a") {
      fail({module.file, field.conversionBegin - 1, field.conversionEnd},
           "expected '!r', '!s' or '!a' in an f-string, got '!" + conversion + "'");
      return false;
    }
    part.conversion = conversion.front();
  }
  if (field.hasSpec) {
    FStringBuilder specBuilder(module);
    if (!parseFormatContent(field.specBegin, field.specEnd, style, /*isSpec=*/true, specBuilder))
      return false;
    part.spec = specBuilder.build({module.file, field.specBegin, field.specEnd});
    if (!part.spec) {
      failTooDeep(part.range);
      return false;
    }
  }
  return true;
}
