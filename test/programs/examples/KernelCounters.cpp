// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX is read line by line: after the directives a line with an instruction ends in ';'. That holds
// for the text of LLVM's back end and for our inline text in it.

#include "KernelCounters.h"

#include "KernelCache.h"

#include "llvm/ADT/StringRef.h"

#include <algorithm>

namespace tilec::harness {

const CounterInfo &counterInfo(Counter counter) {
  // Scheduling and the register allocation move a little with every change of the code; what the
  // simulator counts moves with the access pattern only.
  static constexpr CounterInfo table[] = {
      {"globalRequests", false, 0, 0, false},
      {"globalSectors", false, 0, 0, false},
      {"uncoalescedSectors", false, 0, 0, false},
      {"minimumSectors", false, 0, 0, false},
      {"sharedRequests", false, 0, 0, false},
      {"sharedWavefronts", false, 0, 0, false},
      {"bankConflicts", false, 0, 0, false},
      {"sharedBytes", false, 0, 0, false},
      {"barriers", false, 0, 0, false},
      {"shuffles", false, 0, 0, false},
      {"atomics", false, 0, 0, false},
      {"instructions", false, 8, 0.05, false},
      {"widestAccess", true, 0, 0, false},
      {"narrowestAccess", true, 0, 0, false},
      {"registers", false, 4, 0.08, true},
      {"spillBytes", false, 0, 0, true},
  };
  static_assert(std::size(table) == numCounters, "one line per counter");
  return table[size_t(counter)];
}

/// Bits of "ld.global.nc.v4.b32" and the like; 0 when it is no global load or store.
static int64_t globalAccessBits(llvm::StringRef opcode) {
  llvm::SmallVector<llvm::StringRef, 8> parts;
  opcode.split(parts, '.');
  if (parts.size() < 3 || (parts[0] != "ld" && parts[0] != "st") ||
      !llvm::is_contained(parts, "global"))
    return 0;
  int64_t elements = 1, bits = 0;
  for (llvm::StringRef part : llvm::drop_begin(parts)) {
    unsigned number = 0;
    if (part.starts_with("v") && !part.drop_front().getAsInteger(10, number))
      elements = number;
  }
  unsigned number = 0;
  if (!parts.back().substr(1).getAsInteger(10, number))
    bits = number;
  return elements * bits;
}

void countPtx(const std::string &ptx, CounterValues &into) {
  int64_t instructions = 0, widest = 0, narrowest = 0;
  llvm::StringRef rest = ptx;
  while (!rest.empty()) {
    llvm::StringRef line;
    std::tie(line, rest) = rest.split('\n');
    line = line.trim().take_until([](char c) { return c == ';'; });
    bool hasEnd = !line.empty() && line.end() != ptx.data() + ptx.size() && *line.end() == ';';
    if (!hasEnd || line.starts_with(".") || line.starts_with("//"))
      continue;
    // The predicate, if any.
    if (line.starts_with("@"))
      line = line.drop_until([](char c) { return c == ' ' || c == '\t'; }).ltrim();
    ++instructions;
    int64_t bits = globalAccessBits(line.take_until([](char c) { return c == ' ' || c == '\t'; }));
    if (bits == 0)
      continue;
    widest = std::max(widest, bits);
    narrowest = narrowest == 0 ? bits : std::min(narrowest, bits);
  }
  into[Counter::Instructions] = instructions;
  into[Counter::WidestAccess] = widest;
  into[Counter::NarrowestAccess] = narrowest;
}

static void takeSimulation(const tilecrt::sim::Counters &totals, CounterValues &into) {
  auto put = [&](Counter counter, uint64_t value) { into[counter] = static_cast<int64_t>(value); };
  uint64_t sectors = totals.globalLoadSectors + totals.globalStoreSectors;
  uint64_t idealSectors = totals.globalLoadIdealSectors + totals.globalStoreIdealSectors;
  uint64_t wavefronts = totals.sharedLoadWavefronts + totals.sharedStoreWavefronts;
  uint64_t idealWavefronts = totals.sharedLoadIdealWavefronts + totals.sharedStoreIdealWavefronts;
  put(Counter::GlobalRequests, totals.globalLoadRequests + totals.globalStoreRequests);
  put(Counter::GlobalSectors, sectors);
  put(Counter::UncoalescedSectors, sectors - idealSectors);
  put(Counter::SharedRequests, totals.sharedLoadRequests + totals.sharedStoreRequests);
  put(Counter::SharedWavefronts, wavefronts);
  put(Counter::BankConflicts, wavefronts - idealWavefronts);
  put(Counter::Barriers, totals.barriers);
  put(Counter::Shuffles, totals.shuffles);
  put(Counter::Atomics, totals.globalAtomics + totals.sharedAtomics);
}

struct CounterMeter::Parts {
  std::unique_ptr<KernelDevice> simulator;
  KernelCache machineCode;
};

CounterMeter::CounterMeter(const CompilerPlaces &places, const std::string &gpuTarget)
    : parts(new Parts{makeSimDevice(places), KernelCache(places, gpuTarget)}) {}

CounterMeter::~CounterMeter() = default;

Result<CounterValues> CounterMeter::measure(const KernelRun &run) {
  RunOptions options;
  options.counters = true;
  Result<Outcome> outcome = parts->simulator->run(run, options);
  if (!outcome)
    return outcome.status();
  if (Verdict verdict = judge(run, *outcome); !verdict.passed)
    return tilecrt::invalidArgument(verdict.reason);
  Result<const CompiledKernel *> compiled = parts->machineCode.get(run);
  if (!compiled)
    return compiled.status();

  constexpr uint64_t sectorBytes = 32;
  const tilecrt::KernelMetadata &metadata = (*compiled)->metadata;
  CounterValues values;
  takeSimulation(outcome->simulation.totals, values);
  values[Counter::MinimumSectors] =
      static_cast<int64_t>((run.idealBytes + sectorBytes - 1) / sectorBytes);
  values[Counter::SharedBytes] = metadata.dynamicSharedBytes;
  countPtx((*compiled)->ptx, values);
  if (metadata.registers >= 0)
    values[Counter::Registers] = metadata.registers;
  if (metadata.spillBytes >= 0)
    values[Counter::SpillBytes] = metadata.spillBytes;
  return values;
}

} // namespace tilec::harness
