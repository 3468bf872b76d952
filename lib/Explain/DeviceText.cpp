// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stages that are PTX or SASS. Lines of PTX belong to the '.loc' above them, those of SASS to the
// remark that nvdisasm puts above them; how many registers are in use is in a second listing of it,
// by the addresses of the instructions.

#include "Samples.h"
#include "StageText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using llvm::StringRef;

namespace tilec::explain {

/// The numbers and the names in lines as `.file 1 "k.tile"`.
static std::map<unsigned, std::string> readFiles(StringRef text) {
  std::map<unsigned, std::string> files;
  for (StringRef line : llvm::split(text, '\n')) {
    StringRef directive = line.ltrim();
    if (!directive.consume_front(".file"))
      continue;
    auto [digits, rest] = directive.ltrim().split(' ');
    unsigned number = 0;
    if (!digits.trim().getAsInteger(10, number))
      files[number] = rest.split('"').second.split('"').first.str();
  }
  return files;
}

std::string fileOfPTX(StringRef text) {
  std::map<unsigned, std::string> files = readFiles(text);
  return files.empty() ? "" : files.begin()->second;
}

PlaceCallers callersInPTX(StringRef text) {
  std::map<unsigned, std::string> files = readFiles(text);
  PlaceCallers callers;
  for (StringRef line : llvm::split(text, '\n')) {
    StringRef rest = line.ltrim();
    unsigned file = 0;
    int number = 0;
    if (!rest.consume_front(".loc") || (rest = rest.ltrim(), rest.consumeInteger(10, file)) ||
        (rest = rest.ltrim(), rest.consumeInteger(10, number)))
      continue;
    std::vector<std::pair<std::string, int>> &known = callers[{files[file], number}];
    // "// std.py:9:27 @[ k.py:14:34 @[ k.py:20:5 ] ]", without folders.
    for (StringRef caller = rest.split("@[ ").second; !caller.empty();
         caller = caller.split("@[ ").second) {
      auto [name, digits] = caller.split(':');
      int place = 0;
      if (digits.consumeInteger(10, place))
        break;
      for (const auto &[unused, path] : files)
        if (llvm::sys::path::filename(path) == name &&
            !llvm::is_contained(known, std::make_pair(path, place)))
          known.emplace_back(path, place);
    }
  }
  return callers;
}

StageText textOfPTX(StringRef text, LineTable &lines) {
  StageText stage = makeStage("ptx");
  std::map<unsigned, std::string> files = readFiles(text);
  std::vector<size_t> now;
  bool isInSection = false;
  for (StringRef line : llvm::split(text.rtrim('\n'), '\n')) {
    StringRef rest = line.trim();
    if (rest.starts_with(".section"))
      isInSection = !rest.ends_with("}");
    if (isInSection || rest.starts_with(".section") || rest.starts_with(".file") ||
        rest.starts_with("$L__tmp") || rest.starts_with("$L__func")) {
      isInSection = isInSection && !rest.ends_with("}");
      continue;
    }
    if (rest.consume_front(".loc")) {
      unsigned file = 0, number = 0;
      rest = rest.ltrim();
      bool isNone = rest.consumeInteger(10, file) || rest.ltrim().consumeInteger(10, number);
      rest = rest.ltrim();
      now.clear();
      if (!isNone && !rest.consumeInteger(10, number))
        if (LineIndex index = lines.add(files[file], int(number)))
          now = {*index};
      continue;
    }
    bool isCode = !rest.empty() && !rest.starts_with("//") && !rest.starts_with("}");
    if (rest.empty() && (stage.lines.empty() || stage.lines.back().empty()))
      continue;
    stage.lines.push_back(shortened(line));
    stage.source.push_back(isCode ? now : std::vector<size_t>());
    if (rest.starts_with("}"))
      now.clear();
  }
  return stage;
}

/// Registers in use by the addresses of instructions.
static std::map<uint64_t, int> readLiveRegisters(StringRef listing) {
  std::map<uint64_t, int> registers;
  for (StringRef line : llvm::split(listing, '\n')) {
    std::optional<uint64_t> address = addressOfSass(line);
    StringRef table = line.split("// |").second.ltrim();
    int count = 0;
    if (address && !table.consumeInteger(10, count))
      registers[*address] = count;
  }
  return registers;
}

/// The place in `//## File "k.tile", line 5 inlined at "k.tile", line 9`.
static std::vector<size_t> readPlaces(StringRef remark, LineTable &lines) {
  std::vector<size_t> places;
  while (remark.contains('"')) {
    auto [file, rest] = remark.split('"').second.split('"');
    StringRef digits = rest.split("line ").second;
    int line = 0;
    if (!digits.consumeInteger(10, line))
      if (LineIndex index = lines.add(file, line); index && !llvm::is_contained(places, *index))
        places.push_back(*index);
    remark = digits;
  }
  return places;
}

/// Gives the instructions of functions that the assembler added, as for a division, the lines that
/// call them.
static void placeSubroutines(StageText &stage) {
  llvm::StringMap<std::vector<size_t>> callers;
  for (auto [text, source] : llvm::zip(stage.lines, stage.source)) {
    auto [call, rest] = StringRef(text).split("`(");
    if (!call.contains(" CALL."))
      continue;
    std::vector<size_t> &known = callers[rest.split(')').first];
    for (size_t line : source)
      if (!llvm::is_contained(known, line))
        known.push_back(line);
  }
  const std::vector<size_t> *now = nullptr;
  for (auto [text, source] : llvm::zip(stage.lines, stage.source)) {
    StringRef label = StringRef(text).trim();
    if (label.consume_back(":") && !label.starts_with(".L")) {
      auto called = callers.find(label);
      now = called == callers.end() ? nullptr : &called->second;
    } else if (now && source.empty() && addressOfSass(text)) {
      source = *now;
    }
  }
}

/// An instruction without the widest of nvdisasm's margins: a page has thousands of them.
static std::string withoutMargins(StringRef line) {
  auto [address, code] = line.trim().split("*/");
  if (code.empty())
    return line.trim().str();
  constexpr size_t unused = 8;
  StringRef indented = code.take_while([](char c) { return c == ' '; });
  code = code.drop_front(std::min(unused, indented.size()));
  auto [instruction, note] = code.split("(*");
  return (" " + address + "*/" + instruction.rtrim() + (note.empty() ? "" : "  (*" + note)).str();
}

StageText textOfCubin(StringRef cubin, const PtxasHints &tools, LineTable &lines,
                      bool withRegisters) {
  StageText stage = makeStage("sass");
  auto absent = [&](std::string why) {
    stage.absent = std::move(why);
    return stage;
  };
  if (cubin.empty())
    return absent("ptxas was not found");
  std::optional<std::string> disassembler = findDisassembler(tools);
  if (!disassembler)
    return absent("nvdisasm was not found");
  llvm::Expected<std::string> text = disassemble(cubin, *disassembler, {"-c", "-gi"});
  if (!text)
    return absent(llvm::toString(text.takeError()));
  std::map<uint64_t, int> registers;
  if (withRegisters) {
    if (llvm::Expected<std::string> listing = disassemble(cubin, *disassembler, {"-c", "-plr"}))
      registers = readLiveRegisters(*listing);
    else
      llvm::consumeError(listing.takeError());
  }
  std::vector<size_t> now;
  for (StringRef line : llvm::split(StringRef(*text).rtrim('\n'), '\n')) {
    StringRef rest = line.trim();
    if (rest.consume_front("//## File")) {
      // A further remark is the caller of the one before it.
      now = readPlaces(rest, lines);
      continue;
    }
    std::optional<uint64_t> address = addressOfSass(line);
    bool isLabel = rest.ends_with(":") && !rest.starts_with("//");
    if (!address && !isLabel)
      continue;
    // A function begins, which has no lines of its own where the assembler added it.
    if (isLabel && !rest.starts_with("."))
      now.clear();
    stage.lines.push_back(shortened(withoutMargins(line)));
    stage.source.push_back(address ? now : std::vector<size_t>());
    auto live = address ? registers.find(*address) : registers.end();
    if (live != registers.end())
      for (size_t index : now)
        lines[index].registers = std::max(lines[index].registers.value_or(0), live->second);
  }
  placeSubroutines(stage);
  return stage;
}

} // namespace tilec::explain
