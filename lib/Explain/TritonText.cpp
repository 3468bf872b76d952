// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TritonText.h. Behind what has a location stands 'loc(...)', mostly with the name of one that
// a line of its own defines:
//
//   #loc3 = loc("k.py":7:12)
//   #loc9 = loc(callsite(#loc3 at #loc5))
//   %8 = tt.load %7 : tensor<1024x!tt.ptr<f32>> loc(#loc9)

#include "TritonText.h"

#include "StageText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;

namespace tilec::explain {

namespace {

constexpr StringRef kLocation = "loc(";

/// The text in the brackets that `text` begins with, which is taken off; empty where they do not
/// end. Brackets in quotes are none.
StringRef takeBracketed(StringRef &text) {
  int depth = 0;
  bool isQuoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (isQuoted && c == '\\')
      ++i;
    else if (c == '"')
      isQuoted = !isQuoted;
    else if (!isQuoted && StringRef("([{<").contains(c))
      ++depth;
    else if (!isQuoted && StringRef(")]}>").contains(c) && !(c == '>' && i && text[i - 1] == '-'))
      if (--depth == 0) {
        StringRef inside = text.slice(1, i);
        text = text.drop_front(i + 1);
        return inside;
      }
  }
  text = "";
  return "";
}

/// The locations of a module.
class TritonLocations {
public:
  explicit TritonLocations(StringRef text) {
    for (StringRef line : llvm::split(text, '\n'))
      if (line.starts_with("#loc")) {
        auto [name, location] = line.split(" = ");
        if (location.consume_front("loc"))
          aliases[name] = takeBracketed(location);
      }
  }

  /// The lines of one, innermost first.
  std::vector<size_t> linesOf(StringRef location, LineTable &lines) const {
    std::vector<size_t> all;
    visit(location, lines, all, /*depth=*/0);
    return all;
  }
  /// The name in '"x"(#loc)', empty where there is none.
  StringRef nameOf(StringRef location) const {
    if (auto alias = aliases.find(location); alias != aliases.end())
      location = alias->second;
    auto [name, rest] = location.drop_front(location.starts_with("\"") ? 1 : 0).split('"');
    return location.starts_with("\"") && rest.starts_with("(") ? name : StringRef();
  }

private:
  void visit(StringRef location, LineTable &lines, std::vector<size_t> &all, unsigned depth) const;

  llvm::StringMap<StringRef> aliases;
};

/// The types that numbers of a kernel have, in signature notation.
std::string typeOf(StringRef type) {
  if (type.consume_front("!tt.ptr<"))
    return "*" + typeOf(type.take_until([](char c) { return c == '>' || c == ','; }));
  if (type == "bf16" || (type.starts_with("i") && llvm::all_of(type.drop_front(), llvm::isDigit)))
    return type == "i1" ? "u1" : type.str();
  if (type.starts_with("f") && llvm::all_of(type.drop_front(), llvm::isDigit))
    return "fp" + type.drop_front().str();
  return type.str();
}

/// A line without its locations.
struct PlainLine {
  std::string text;
  /// What stands at its end; empty where nothing does.
  StringRef location;
};

PlainLine withoutLocations(StringRef line) {
  PlainLine plain;
  for (size_t at = line.find(kLocation); at != StringRef::npos; at = line.find(kLocation)) {
    bool isWord = at == 0 || !(llvm::isAlnum(line[at - 1]) || line[at - 1] == '_');
    plain.text += line.take_front(isWord ? at : at + kLocation.size()).str();
    line = line.drop_front(isWord ? at + kLocation.size() - 1 : at + kLocation.size());
    if (!isWord)
      continue;
    StringRef inside = takeBracketed(line);
    plain.location = line.trim().empty() ? inside : "";
    plain.text.resize(StringRef(plain.text).rtrim(' ').size());
  }
  plain.text += line.str();
  return plain;
}

} // namespace

void TritonLocations::visit(StringRef location, LineTable &lines, std::vector<size_t> &all,
                            unsigned depth) const {
  // No chain is longer than there are locations.
  if (depth > aliases.size() + 1)
    return;
  location = location.trim();
  if (location.starts_with("#")) {
    if (auto alias = aliases.find(location); alias != aliases.end())
      visit(alias->second, lines, all, depth + 1);
    return;
  }
  if (location.starts_with("\"")) {
    auto [text, rest] = location.drop_front().split('"');
    int line = 0;
    if (rest.consume_front(":") && !rest.consumeInteger(10, line)) {
      if (LineIndex index = lines.add(text, line); index && !llvm::is_contained(all, *index))
        all.push_back(*index);
    } else if (rest.starts_with("(")) {
      visit(takeBracketed(rest), lines, all, depth + 1);
    }
    return;
  }
  if (location.consume_front("callsite")) {
    auto [callee, caller] = takeBracketed(location).split(" at ");
    visit(callee, lines, all, depth + 1);
    visit(caller, lines, all, depth + 1);
  } else if (location.consume_front("fused")) {
    if (location.starts_with("<"))
      (void)takeBracketed(location);
    for (StringRef part : llvm::split(takeBracketed(location), ", "))
      visit(part, lines, all, depth + 1);
  }
}

StageText textOfTriton(StringRef text, StringRef name, LineTable &lines) {
  StageText stage = makeStage(name);
  TritonLocations locations(text);
  // Rows that opened a region, with those that went on with another one.
  std::vector<std::vector<size_t>> open;
  for (StringRef line : llvm::split(text.rtrim('\n'), '\n')) {
    if (line.starts_with("#loc"))
      continue;
    PlainLine plain = withoutLocations(line);
    StringRef shown = StringRef(plain.text).rtrim();
    std::vector<size_t> source = locations.linesOf(plain.location, lines);
    size_t row = stage.lines.size();
    bool isEnd = shown.ltrim().starts_with("}"), isBegin = shown.ends_with("{");
    if (isEnd && isBegin && !open.empty()) {
      open.back().push_back(row);
    } else if (isEnd && !open.empty()) {
      for (size_t begun : open.back())
        stage.source[begun] = source;
      open.pop_back();
    } else if (isBegin) {
      open.push_back({row});
    }
    stage.lines.push_back(shortened(shown));
    stage.source.push_back(std::move(source));
  }
  return stage;
}

std::optional<std::vector<TritonKernel::Parameter>> parametersOf(StringRef text, StringRef kernel) {
  std::string head = ("tt.func public @" + kernel + "(").str();
  size_t at = text.find(head);
  if (at == StringRef::npos)
    return std::nullopt;
  TritonLocations locations(text);
  StringRef rest = text.drop_front(at + head.size() - 1);
  StringRef list = takeBracketed(rest);
  std::vector<TritonKernel::Parameter> parameters;
  while (!list.empty()) {
    // "%x: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("x"(#loc))"
    TritonKernel::Parameter &parameter = parameters.emplace_back();
    auto [name, behind] = list.split(':');
    parameter.name = name.trim(" %").str();
    StringRef type = behind.ltrim();
    size_t end = 0;
    while (end < type.size() && !StringRef(" ,").contains(type[end]))
      if (type[end++] == '<') {
        StringRef arguments = type.drop_front(end - 1);
        (void)takeBracketed(arguments);
        end = type.size() - arguments.size();
      }
    parameter.type = typeOf(type.take_front(end));
    list = type.drop_front(end);
    while (!list.empty() && !list.consume_front(",")) {
      list = list.ltrim();
      bool isLocation = list.starts_with(kLocation);
      size_t bracket = list.find_first_of("({");
      if (bracket > list.find(',')) {
        list = list.drop_front(std::min(list.size(), list.find(',')));
        continue;
      }
      list = list.drop_front(std::min(list.size(), bracket));
      StringRef inside = takeBracketed(list);
      if (StringRef named = locations.nameOf(inside); isLocation && !named.empty())
        parameter.name = named.str();
    }
    list = list.ltrim();
  }
  return parameters;
}

} // namespace tilec::explain
