// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules about accesses: sectors that nobody needs, banks that lanes meet in, atomics that meet at
// one address, registers that are spilled.

#include "Rules.h"

#include "tilec/Support/RemarkCategory.h"

#include "tilecrt/sim/SimAbi.h"

#include "llvm/Support/FormatVariadic.h"

namespace tilec::explain {

using tilecrt::sim::Counters;

/// What is so much above its best counts.
static constexpr double kExcess = 1.25;

static std::string withReason(std::string text, llvm::StringRef reason, llvm::StringRef advice) {
  if (!reason.empty())
    text += ": " + reason.str();
  if (!advice.empty())
    text += "; " + advice.str();
  return text;
}

void findUncoalesced(const RuleContext &context, std::vector<Suggestion> &found) {
  for (const PlacedCounts &place : context.places) {
    const Counters &c = place.counts.counters;
    uint64_t requests = c.globalLoadRequests + c.globalStoreRequests;
    uint64_t sectors = c.globalLoadSectors + c.globalStoreSectors;
    uint64_t ideal = c.globalLoadIdealSectors + c.globalStoreIdealSectors;
    if (requests == 0 || double(sectors) < kExcess * double(ideal))
      continue;
    const TensorAccess *access = context.accessAt(place.line);
    std::string text = llvm::formatv(
        "let the lanes of a warp access neighbouring elements: a request takes {0:F1} sectors of "
        "32 bytes instead of {1:F1}",
        double(sectors) / double(requests), double(ideal) / double(requests));
    text = withReason(text, access ? access->reason : "", access ? access->suggestion : "");
    context.suggest(found, "uncoalesced", place.line, text,
                    "the same bytes in as few sectors as they fill", [&](LaunchWork &work) {
                      takeFrom(work.counters.globalLoadSectors,
                               c.globalLoadSectors - c.globalLoadIdealSectors);
                      takeFrom(work.counters.globalStoreSectors,
                               c.globalStoreSectors - c.globalStoreIdealSectors);
                    });
  }
}

void findBankConflicts(const RuleContext &context, std::vector<Suggestion> &found) {
  for (const PlacedCounts &place : context.places) {
    const Counters &c = place.counts.counters;
    uint64_t requests = c.sharedLoadRequests + c.sharedStoreRequests;
    uint64_t wavefronts = c.sharedLoadWavefronts + c.sharedStoreWavefronts;
    uint64_t ideal = c.sharedLoadIdealWavefronts + c.sharedStoreIdealWavefronts;
    if (requests == 0 || double(wavefronts) < kExcess * double(ideal))
      continue;
    std::string text = llvm::formatv(
        "spread the lanes' accesses to shared memory over the banks: a request takes {0:F1} "
        "wavefronts instead of {1:F1}, since lanes meet in one bank",
        double(wavefronts) / double(requests), double(ideal) / double(requests));
    context.suggest(found, "bank-conflicts", place.line, text,
                    "every request in as few wavefronts as its bytes need", [&](LaunchWork &work) {
                      takeFrom(work.counters.sharedLoadWavefronts,
                               c.sharedLoadWavefronts - c.sharedLoadIdealWavefronts);
                      takeFrom(work.counters.sharedStoreWavefronts,
                               c.sharedStoreWavefronts - c.sharedStoreIdealWavefronts);
                    });
  }
}

/// Atomics that are as few as a program can have, of too many programs.
static void findAtomicsOfManyPrograms(const RuleContext &context, std::vector<Suggestion> &found) {
  const PlacedCounts *most = nullptr;
  for (const PlacedCounts &place : context.places)
    if (place.counts.counters.globalAtomics != 0 &&
        (!most || place.counts.counters.globalAtomics > most->counts.counters.globalAtomics))
      most = &place;
  auto block = context.blockConstant();
  constexpr double times = 4;
  if (!most || !block || context.report.time.bound != "atomics" ||
      context.work.ctas < times * context.report.gpu->multiprocessors)
    return;
  std::string text = llvm::formatv(
      "each of {0} programs adds to the same addresses: raise {1} from {2} to {3}, so that fewer "
      "programs do",
      uint64_t(context.work.ctas), block->name, block->extent, block->extent * int64_t(times));
  context.suggest(found, "serial-atomics", most->line, text,
                  "a quarter of the programs, and of their atomics", [&](LaunchWork &work) {
                    work.ctas /= times;
                    work.hottestIntegers /= times;
                    work.hottestFloats /= times;
                    work.hottestLineAtomics /= times;
                    takeFrom(work.counters.globalAtomics,
                             uint64_t(double(work.counters.globalAtomics) * (1 - 1 / times)));
                  });
}

void findSerialAtomics(const RuleContext &context, std::vector<Suggestion> &found) {
  findAtomicsOfManyPrograms(context, found);
  for (const PlacedCounts &place : context.places) {
    const tilecrt::sim::SerialAtomics &here = place.counts.hottest;
    bool isFloat = here.floats > here.integers;
    double hottest = double(isFloat ? here.floats : here.integers);
    // One for each program is what reductions that meet in the end have.
    double least = std::min(hottest, context.work.ctas);
    if (hottest < kExcess * least || hottest == 0)
      continue;
    uint64_t all = place.counts.counters.globalAtomics;
    std::string text = llvm::formatv(
        "{0} of {1} atomics come one after the other at one address: combine them in the program "
        "first (a reduction, or tl.histogram), and do one atomic for each of its results",
        uint64_t(hottest), all);
    context.suggest(found, "serial-atomics", place.line, text,
                    "one atomic of each program at the address that gets the most",
                    [&](LaunchWork &work) {
                      double &most = isFloat ? work.hottestFloats : work.hottestIntegers;
                      most = std::max(0.0, most - (hottest - least));
                      work.hottestLineAtomics *= least / hottest;
                      double kept = least / hottest;
                      takeFrom(work.counters.globalAtomics, uint64_t(double(all) * (1 - kept)));
                    });
  }
}

void findSpills(const RuleContext &context, std::vector<Suggestion> &found) {
  int bytes = context.report.resources.spillBytes.value_or(0);
  if (bytes <= 0 || context.work.spillWavefronts <= 0)
    return;
  // The line with the most registers in use is where they are short.
  LineIndex line;
  for (size_t i = 0; i < context.report.lines.size(); ++i) {
    const SourceLine &candidate = context.report.lines[i];
    if (candidate.file == 0 && candidate.registers &&
        (!line || *candidate.registers > *context.report.lines[*line].registers))
      line = i;
  }
  std::string text = llvm::formatv(
      "{0} bytes of registers are spilled for each thread, which has {1}: take smaller blocks or "
      "more warps (num_warps), so that a thread has fewer elements",
      bytes, context.report.resources.registers.value_or(0));
  context.suggest(found, "spills", line ? line : context.lineWith("def "), text,
                  "no accesses of local memory",
                  [](LaunchWork &work) { work.spillWavefronts = 0; });
}

} // namespace tilec::explain
