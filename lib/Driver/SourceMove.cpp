// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SourceMove.h. Of PTX the directives '.file' and '.loc' are rewritten, nothing else.

#include "SourceMove.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using llvm::StringRef;

namespace tilec {

static bool operator!=(const LineColumn &a, const LineColumn &b) {
  return a.line != b.line || a.column != b.column;
}

SourceMove::SourceMove(std::string oldFile, std::vector<LineColumn> from, std::string newFile,
                       std::vector<LineColumn> to)
    : oldPath(std::move(oldFile)), newPath(std::move(newFile)) {
  valid = from.size() == to.size();
  identity = valid && oldPath == newPath;
  for (size_t i = 0; valid && i < from.size(); ++i) {
    identity &= !(from[i] != to[i]);
    places.try_emplace({from[i].line, from[i].column}, to[i]);
  }
}

std::optional<LineColumn> SourceMove::find(LineColumn place) const {
  // Code without a line.
  if (place.line == 0)
    return place;
  auto after = places.upper_bound({place.line, place.column});
  if (place.column == 0) {
    if (after == places.end() || after->first.first != place.line)
      return std::nullopt;
    return LineColumn{after->second.line, 0};
  }
  if (after == places.begin())
    return std::nullopt;
  auto token = std::prev(after);
  if (token->first.first != place.line)
    return std::nullopt;
  return LineColumn{token->second.line,
                    token->second.column + (place.column - token->first.second)};
}

namespace {

/// Reads a decimal number behind blanks; leaves `text` behind it.
bool consumeNumber(StringRef &text, unsigned &number) {
  text = text.ltrim(" \t");
  StringRef digits = text.take_while(llvm::isDigit);
  if (digits.getAsInteger(10, number))
    return false;
  text = text.drop_front(digits.size());
  return true;
}

/// The text between the quotes of '.file 1 "text"', and the number.
std::optional<std::pair<unsigned, StringRef>> parseFile(StringRef line) {
  line = line.trim();
  unsigned number = 0;
  if (!line.consume_front(".file") || !consumeNumber(line, number))
    return std::nullopt;
  line = line.trim();
  if (!line.consume_front("\"") || !line.contains('"'))
    return std::nullopt;
  return std::make_pair(number, line.take_until([](char c) { return c == '"'; }));
}

/// A path as LLVM writes it between quotes.
std::string quoted(StringRef path) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::printEscapedString(path, os);
  return text;
}

} // namespace

bool SourceMove::movePTX(std::string &ptx) const {
  // The file directives stand at the end.
  llvm::SmallVector<StringRef> lines;
  StringRef(ptx).split(lines, '\n');
  std::optional<unsigned> ours;
  for (StringRef line : lines)
    if (auto file = parseFile(line); file && file->second == quoted(oldPath))
      ours = file->first;
  std::string moved;
  llvm::raw_string_ostream os(moved);
  for (auto [index, line] : llvm::enumerate(lines)) {
    if (index != 0)
      os << '\n';
    if (auto file = parseFile(line); file && ours == file->first) {
      os << "\t.file\t" << file->first << " \"" << quoted(newPath) << '"';
      continue;
    }
    StringRef rest = line;
    StringRef behind = rest.ltrim();
    if (!behind.consume_front(".loc") || behind.ltrim(" \t").size() == behind.size()) {
      os << line;
      continue;
    }
    // '.loc FILE LINE COLUMN', and perhaps ', function_name ..., inlined_at FILE LINE COLUMN'.
    for (StringRef keyword : {".loc", "inlined_at"}) {
      size_t at = rest.find(keyword);
      if (at == StringRef::npos)
        break;
      StringRef numbers = rest.drop_front(at + keyword.size());
      const char *begin = numbers.data();
      unsigned file = 0;
      LineColumn place;
      if (!consumeNumber(numbers, file) || !consumeNumber(numbers, place.line) ||
          !consumeNumber(numbers, place.column))
        return false;
      os << rest.take_front(at + keyword.size());
      if (ours == file) {
        std::optional<LineColumn> now = find(place);
        if (!now)
          return false;
        StringRef blank = StringRef(begin, 1);
        os << blank << file << ' ' << now->line << ' ' << now->column;
      } else {
        os << StringRef(begin, size_t(numbers.data() - begin));
      }
      rest = numbers;
    }
    os << rest;
  }
  ptx = std::move(moved);
  return true;
}

bool SourceMove::moveSites(std::vector<tilecrt::sim::Site> &sites) const {
  auto move = [&](auto &place) {
    if (place.file != oldPath)
      return true;
    std::optional<LineColumn> now = find({unsigned(place.line), unsigned(place.col)});
    if (!now)
      return false;
    place.file = newPath;
    place.line = int(now->line);
    place.col = int(now->column);
    return true;
  };
  return llvm::all_of(sites, [&](tilecrt::sim::Site &site) {
    return move(site) && llvm::all_of(site.callers, move);
  });
}

bool SourceMove::moveMetadata(tilecrt::KernelMetadata &metadata) const {
  for (tilecrt::LineMapEntry &entry : metadata.lineMap) {
    if (entry.file != oldPath)
      continue;
    std::optional<LineColumn> now = find({entry.line, entry.column});
    if (!now)
      return false;
    entry.file = newPath;
    entry.line = now->line;
    entry.column = now->column;
  }
  return true;
}

} // namespace tilec
