// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SourceMutator.h. The text is cut into words, numbers and operators, or into lines; which
// change is made, where, and what is put in is random.

#include "SourceMutator.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <cstring>

using namespace tilec::fuzz;
using llvm::StringRef;

static constexpr StringRef kNumbers[] = {
    "0",          "1",     "2",  "3",   "4",    "7",     "16",         "31",
    "32",         "48",    "64", "100", "128",  "1024",  "65536",      "0x7fffffff",
    "0x80000000", "-1",    "-5", "0.5", "-0.0", "1e300", "1e-6",       "(1 << 63)",
    "(1 << 64)",  "2**40", "64", "()",  "None", "True",  "[16, 16]",   "(2, 4)",
    "'x'",        "[]",    "16", "8",   "256",  "-64",   "2147483647", "float('inf')"};

static constexpr StringRef kOperators[] = {
    "+",  "-", "*",  "/",  "//",   "%",     "**",    "<<", ">>",   "&",        "|",          "^",
    "<",  ">", "<=", ">=", "==",   "!=",    " and ", "@",  " or ", " is ",     "=",          "+=",
    "*=", ",", ".",  ":",  " in ", " not ", ":=",    "-=", "//=",  " is not ", " if x else "};

/// What an expression may become; $ is the expression, # another word.
static constexpr StringRef kWraps[] = {
    "($ + #)",
    "($ * #)",
    "$[None, :]",
    "$[:, None]",
    "$.to(tl.int8)",
    "-$",
    "$.to(tl.float16)",
    "$.to(tl.float32)",
    "tl.sum($, 0)",
    "tl.max($, 1)",
    "tl.where(#, $, #)",
    "tl.broadcast_to($, #)",
    "~$",
    "tl.exp($)",
    "tl.reshape($, #)",
    "tl.trans($)",
    "tl.load($)",
    "tl.dot($, #)",
    "(not $)",
    "($ if # else #)",
    "tl.zeros($, #)",
    "tl.cumsum($, 0)",
    "tl.arange(0, $)",
    "tl.full(#, $, tl.int32)",
    "($, #)",
    "*$",
    "tl.cdiv($, #)",
    "$[0]",
    "[$, #]",
    "range($)",
    "len($)",
    "(lambda x: x + $)(#)",
    "f'{$}'",
    "$.shape",
    "$.dtype",
    "[$ for # in range(4)]",
    "$(#)",
    "tl.static_range($)",
    "tl.sort($)",
    "tl.make_block_ptr($, [#, #], [#, 1], [0, 0], [16, 16], [1, 0])",
    "tl.cast($, #)",
    "tl.join($, #)",
    "tl.split($)",
    "tl.atomic_add($, #)",
    "tl.rand($, #)",
    "tl.gather($, #, 0)",
    "tl.constexpr($)",
    "$.reshape(#)",
    "tl.reduce($, 0, #)",
    "tl.associative_scan($, 0, #)",
    "tl.max($, 0, return_indices=True)",
    "tl.histogram($, 16)"};

/// What a line may be put under; # is a word.
static constexpr StringRef kHeads[] = {"if #:",
                                       "if # > 0:",
                                       "for i in range(#):",
                                       "for _ in tl.static_range(3):",
                                       "while # < 4:",
                                       "for i, j in #:",
                                       "for # in tl.range(0, #, 2):",
                                       "else:",
                                       "@triton.jit\ndef helper(#, #=2):"};

static constexpr StringRef kLines[] = {"return",       "return #",
                                       "break",        "continue",
                                       "# = #",        "# += #",
                                       "#, # = #",     "tl.store(#, #)",
                                       "tl.assume(#)", "tl.static_assert(#)",
                                       "pass",         "# = # if # else #",
                                       "# = #[0]",     "assert #",
                                       "global #",     "#: tl.constexpr = #",
                                       "#, *_ = #",    "raise #",
                                       "print(#)",     "tl.device_print('x', #)",
                                       "del #",        "# = lambda #: #"};

std::vector<SourceMutator::Token> SourceMutator::scan(StringRef text) {
  std::vector<Token> tokens;
  for (size_t i = 0; i < text.size();) {
    size_t begin = i;
    auto take = [&](auto matches) {
      while (i < text.size() && matches(text[i]))
        ++i;
    };
    Token::Kind kind = Token::Kind::Other;
    if (llvm::isAlpha(text[i]) || text[i] == '_') {
      kind = Token::Kind::Word;
      take([](char c) { return llvm::isAlnum(c) || c == '_'; });
    } else if (llvm::isDigit(text[i])) {
      kind = Token::Kind::Number;
      take([](char c) { return llvm::isAlnum(c) || c == '.' || c == '_'; });
    } else if (StringRef("+-*/%&|^<>=!@,.:").contains(text[i])) {
      kind = Token::Kind::Operator;
      take([](char c) { return StringRef("+-*/%&|^<>=!@:").contains(c); });
      i = std::max(i, begin + 1);
    } else {
      ++i;
    }
    tokens.push_back({kind, begin, i - begin});
  }
  return tokens;
}

std::string SourceMutator::pickWord(StringRef text, const std::vector<Token> &tokens) {
  if (pick(8) == 0)
    return pickOf(kNumbers).str();
  if (!words.empty() && pick(3) == 0)
    return words[pick(words.size())];
  for (unsigned attempt = 0; attempt < 8 && !tokens.empty(); ++attempt) {
    const Token &token = tokens[pick(tokens.size())];
    if (token.kind == Token::Kind::Word)
      return text.substr(token.begin, token.size).str();
  }
  return "x";
}

std::string SourceMutator::changeToken(StringRef text) {
  std::vector<Token> tokens = scan(text);
  const Token *token = nullptr;
  for (unsigned attempt = 0; attempt < 16 && !token && !tokens.empty(); ++attempt) {
    const Token &candidate = tokens[pick(tokens.size())];
    if (candidate.kind != Token::Kind::Other)
      token = &candidate;
  }
  if (!token)
    return text.str() + pickWord(text, tokens);
  StringRef old = text.substr(token->begin, token->size);
  std::string put;
  if (token->kind == Token::Kind::Operator) {
    put = pick(8) == 0 ? "" : pickOf(kOperators).str();
  } else if (pick(3) == 0) {
    for (char c : pickOf(kWraps))
      put += c == '$' ? old.str() : c == '#' ? pickWord(text, tokens) : std::string(1, c);
  } else if (token->kind == Token::Kind::Number) {
    put = pick(4) == 0 ? pickWord(text, tokens) : pickOf(kNumbers).str();
  } else {
    put = pickWord(text, tokens);
  }
  return (text.take_front(token->begin) + put + text.drop_front(token->begin + token->size)).str();
}

std::string SourceMutator::changeLine(StringRef line) {
  std::vector<Token> tokens = scan(line);
  std::string indent(line.size() - line.ltrim(' ').size(), ' ');
  auto fill = [&](StringRef pattern) {
    std::string filled = indent;
    for (char c : pattern) {
      if (c == '#')
        filled += pickWord(line, tokens);
      else
        filled += c == '\n' ? "\n" + indent : std::string(1, c);
    }
    return filled;
  };
  switch (pick(4)) {
  case 0:
    return fill(pickOf(kHeads)) + "\n    " + line.str();
  case 1:
    return line.str() + "\n" + fill(pickOf(kLines));
  case 2:
    return fill(pickOf(kLines)) + "\n" + line.str();
  default:
    return pick(2) ? "    " + line.str()
                   : line.drop_front(std::min<size_t>(4, indent.size())).str();
  }
}

std::string SourceMutator::changeLines(StringRef text) {
  llvm::SmallVector<StringRef, 64> lines;
  text.split(lines, '\n');
  size_t at = pick(lines.size()), other = pick(lines.size());
  std::string changed;
  switch (pick(5)) {
  case 0:
    lines.erase(lines.begin() + at);
    break;
  case 1:
    lines.insert(lines.begin() + other, StringRef(lines[at]));
    break;
  case 2:
    std::swap(lines[at], lines[other]);
    break;
  default:
    changed = changeLine(lines[at]);
    lines[at] = changed;
  }
  return llvm::join(lines, "\n");
}

std::string SourceMutator::mutate(StringRef text) {
  std::string result = text.str();
  for (size_t i = 0, count = 1 + pick(3); i < count; ++i)
    result = pick(3) == 0 ? changeLines(result) : changeToken(result);
  return result;
}

std::string SourceMutator::cross(StringRef first, StringRef second) {
  llvm::SmallVector<StringRef, 64> lines, others;
  first.split(lines, '\n');
  second.split(others, '\n');
  size_t begin = pick(others.size()), count = 1 + pick(std::min<size_t>(8, others.size() - begin));
  size_t at = pick(lines.size() + 1);
  if (pick(2) == 0)
    lines.erase(lines.begin() + at, lines.begin() + std::min(at + count, lines.size()));
  lines.insert(lines.begin() + at, others.begin() + begin, others.begin() + begin + count);
  return llvm::join(lines, "\n");
}

size_t tilec::fuzz::put(StringRef text, uint8_t *out, size_t maxSize) {
  size_t size = std::min(text.size(), maxSize);
  std::memcpy(out, text.data(), size);
  return size;
}
