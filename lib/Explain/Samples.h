// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Samples of program counters at lines of the source: an instruction is found in the SASS by its
// function and offset, and its line with it.

#ifndef TILEC_LIB_EXPLAIN_SAMPLES_H
#define TILEC_LIB_EXPLAIN_SAMPLES_H

#include "LineTable.h"

#include "tilec/Explain/GpuRun.h"

#include "llvm/ADT/StringMap.h"

#include <map>
#include <set>

namespace tilec::explain {

/// The address in front of an instruction, "/*0010*/"; nothing for other lines.
std::optional<uint64_t> addressOfSass(llvm::StringRef line);

/// The instructions of a stage "sass" by where the GPU finds them.
class SassIndex {
public:
  explicit SassIndex(const StageText &sass);

  /// The row of the instruction so many bytes behind a function's start. What the assembler added
  /// for a kernel is found by its own name, and behind the kernel.
  std::optional<size_t> find(llvm::StringRef function, uint64_t offset) const;
  bool knows(llvm::StringRef function) const { return rows.contains(function); }
  /// Whether a row is in a function that the assembler added: its lines are those that call it.
  bool isAdded(size_t row) const { return added.count(row) != 0; }

private:
  llvm::StringMap<std::map<uint64_t, size_t>> rows;
  std::set<size_t> added;
};

/// "long_scoreboard" of the library's name for it; nothing for what is no reason of its own: a
/// total, or the part of another reason in whose cycle nothing was issued.
std::optional<llvm::StringRef> stallOf(llvm::StringRef name);

/// What a warp does that was found for a reason: "waits for a load from global or local memory".
llvm::StringRef describeStall(llvm::StringRef stall);

/// Fills in the samples of the report, of its lines and of its calls, which were counted before.
void collectSamples(const GpuRun &run, LineTable &lines, Report &report);

} // namespace tilec::explain

#endif // TILEC_LIB_EXPLAIN_SAMPLES_H
