// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See AssemblerLog.h. The log's lines are of the form "ptxas kernel.ptx, line 12; error   : why".

#include "AssemblerLog.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

namespace tilec {

/// Whether inline assembly ends where its text does; what follows is refused otherwise.
static bool isComplete(llvm::StringRef text) {
  int64_t depth = 0;
  char last = ';';
  while (!text.empty()) {
    auto [line, others] = text.split('\n');
    text = others;
    line = line.split("//").first.rtrim();
    depth += int64_t(line.count('{')) - int64_t(line.count('}'));
    if (!line.empty())
      last = line.back();
  }
  return depth == 0 && llvm::StringRef(";:}").contains(last);
}

std::optional<RefusedAssembly> findRefusedAssembly(llvm::StringRef ptx, llvm::StringRef log) {
  llvm::StringRef rest = log.split(", line ").second;
  size_t number = 0;
  if (rest.consumeInteger(10, number) || number == 0)
    return std::nullopt;
  llvm::SmallVector<llvm::StringRef, 0> lines;
  ptx.split(lines, '\n');
  bool isInline = false;
  llvm::StringRef place;
  std::optional<llvm::StringRef> incomplete;
  const char *begin = nullptr;
  llvm::StringMap<llvm::StringRef> files;
  for (auto [index, line] : llvm::enumerate(lines)) {
    llvm::StringRef words = line.trim();
    // Files are named at the end.
    if (words.consume_front(".file")) {
      auto [id, name] = words.trim().split(' ');
      files[id.trim()] = name.trim().trim('"');
    }
    if (index >= number)
      continue;
    if (words.starts_with("// begin inline asm")) {
      isInline = true;
      begin = line.end();
    } else if (words.starts_with("// end inline asm") && isInline) {
      isInline = false;
      if (!incomplete && !isComplete(llvm::StringRef(begin, line.begin() - begin)))
        incomplete = place;
    } else if (words.consume_front(".loc"))
      place = words.trim();
  }
  if (!isInline && !incomplete)
    return std::nullopt;
  if (!isInline)
    place = *incomplete;
  RefusedAssembly refused;
  refused.why = rest.split('\n').first.split(" : ").second.trim().str();
  auto [id, position] = place.split(' ');
  refused.file = files.lookup(id).str();
  if (!position.consumeInteger(10, refused.line)) {
    position = position.ltrim();
    (void)position.consumeInteger(10, refused.column);
  }
  return refused;
}

} // namespace tilec
