// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stages that are MLIR or LLVM assembly. A module is printed without its locations, and MLIR says
// at which line of the text each operation begins.

#include "StageText.h"

#include "mlir/IR/AsmState.h"
#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;

namespace tilec::explain {

StageText makeStage(StringRef name) {
  struct Row {
    StringRef name, title, language;
  };
  constexpr Row rows[] = {{"tile", "Tile dialect", "mlir"},
                          {"tilegpu", "TileGPU dialect: layouts and shared memory", "mlir"},
                          {"ttir", "Triton dialect", "mlir"},
                          {"ttgir", "TritonGPU dialect: layouts and shared memory", "mlir"},
                          {"llvm", "LLVM IR", "llvm"},
                          {"ptx", "PTX", "ptx"},
                          {"sass", "SASS", "sass"}};
  StageText stage;
  for (const Row &row : rows)
    if (row.name == name) {
      stage.name = row.name.str();
      stage.title = row.title.str();
      stage.language = row.language.str();
    }
  return stage;
}

/// Lists of one word many times, as the types of structs have them, with their number:
/// "{ float, float x 254, float }".
static std::string withoutRepeats(StringRef line) {
  constexpr size_t fewest = 8;
  constexpr StringRef comma = ", ";
  std::string text;
  while (!line.empty()) {
    auto [first, rest] = line.split(comma);
    size_t count = 0;
    StringRef behind = line;
    while (behind.consume_front(first) && behind.consume_front(comma))
      ++count;
    if (count >= fewest) {
      text += (first + " x " + llvm::Twine(count) + comma).str();
      line = line.drop_front(count * (first.size() + comma.size()));
      continue;
    }
    text += first;
    if (first.size() < line.size())
      text += comma;
    line = rest;
  }
  return text;
}

std::string shortened(StringRef whole) {
  constexpr size_t most = 240, atTheEnd = 60;
  whole = whole.rtrim();
  if (whole.size() <= most)
    return whole.str();
  std::string text = withoutRepeats(whole);
  StringRef line = text;
  if (line.size() <= most)
    return text;
  return (line.take_front(most - atTheEnd) + " ... " + line.take_back(atTheEnd)).str();
}

StageText textOfModule(mlir::ModuleOp module, StringRef name, LineTable &lines) {
  StageText stage = makeStage(name);
  std::string text;
  llvm::raw_string_ostream os(text);
  mlir::AsmState::LocationMap places;
  {
    mlir::AsmState state(module, mlir::OpPrintingFlags(), &places);
    module->print(os, state);
  }
  for (StringRef line : llvm::split(StringRef(text).rtrim('\n'), '\n'))
    stage.lines.push_back(shortened(line));
  stage.source.resize(stage.lines.size());
  module->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    auto place = places.find(op);
    if (place == places.end() || place->second.first < 1 ||
        place->second.first > stage.source.size())
      return;
    for (size_t line : lines.addAll(op->getLoc()))
      if (auto &known = stage.source[place->second.first - 1]; !llvm::is_contained(known, line))
        known.push_back(line);
  });
  return stage;
}

namespace {

/// The debug locations of a text of LLVM's, by the numbers of its metadata.
class DebugLocations {
public:
  explicit DebugLocations(StringRef text) {
    for (StringRef line : llvm::split(text, '\n'))
      if (line.starts_with("!"))
        read(line);
  }

  /// The lines of one and of those it is inlined at.
  std::vector<size_t> linesOf(unsigned number, LineTable &lines) const {
    std::vector<size_t> all;
    // No chain is longer than there are locations.
    for (size_t depth = 0; depth <= places.size(); ++depth) {
      auto place = places.find(number);
      if (place == places.end())
        break;
      auto file = files.find(place->second.scope);
      auto name = names.find(file == files.end() ? 0 : file->second);
      if (name != names.end())
        if (LineIndex line = lines.add(name->second, int(place->second.line));
            line && !llvm::is_contained(all, *line))
          all.push_back(*line);
      number = place->second.inlinedAt;
    }
    return all;
  }

private:
  struct Place {
    unsigned line = 0, scope = 0, inlinedAt = 0;
  };

  /// The number or text behind `field`; the number is that of a node, where it is one.
  static unsigned numberOf(StringRef line, StringRef field) {
    StringRef rest = line.split(field).second.ltrim();
    rest.consume_front("!");
    unsigned number = 0;
    (void)rest.take_while(llvm::isDigit).getAsInteger(10, number);
    return number;
  }
  static std::string textOf(StringRef line, StringRef field) {
    StringRef rest = line.split(field).second.ltrim();
    return rest.consume_front("\"") ? rest.split('"').first.str() : std::string();
  }

  void read(StringRef line) {
    auto [head, node] = line.split(" = ");
    unsigned number = 0;
    if (head.drop_front().getAsInteger(10, number))
      return;
    node.consume_front("distinct ");
    if (node.starts_with("!DILocation("))
      places[number] = {numberOf(node, "line:"), numberOf(node, "scope:"),
                        numberOf(node, "inlinedAt:")};
    else if (node.starts_with("!DISubprogram(") || node.starts_with("!DILexicalBlock"))
      files[number] = numberOf(node, "file:");
    else if (node.starts_with("!DIFile(")) {
      std::string folder = textOf(node, "directory:"), file = textOf(node, "filename:");
      names[number] = folder.empty() ? file : folder + (folder == "/" ? "" : "/") + file;
    }
  }

  std::map<unsigned, Place> places;
  std::map<unsigned, unsigned> files;
  std::map<unsigned, std::string> names;
};

} // namespace

StageText textOfLLVM(StringRef text, LineTable &lines) {
  StageText stage = makeStage("llvm");
  DebugLocations locations(text);
  for (StringRef line : llvm::split(text.rtrim('\n'), '\n')) {
    if (line.starts_with("!") || line.starts_with("source_filename") ||
        line.starts_with("; ModuleID"))
      continue;
    std::vector<size_t> source;
    std::string kept = line.str();
    constexpr StringRef mark = "!dbg !";
    if (size_t at = line.find(mark); at != StringRef::npos) {
      StringRef digits = line.drop_front(at + mark.size()).take_while(llvm::isDigit);
      unsigned number = 0;
      (void)digits.getAsInteger(10, number);
      source = locations.linesOf(number, lines);
      StringRef before = line.take_front(at).rtrim(' ');
      before.consume_back(",");
      kept = (before + line.drop_front(at + mark.size() + digits.size())).str();
    }
    if (kept.empty() && (stage.lines.empty() || stage.lines.back().empty()))
      continue;
    stage.lines.push_back(shortened(kept));
    stage.source.push_back(std::move(source));
  }
  return stage;
}

} // namespace tilec::explain
