// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules about the grid and the blocks: a last wave that is nearly empty, elements that are masked
// off, programs that are too small or too few.

#include "Rules.h"

#include "tilecrt/sim/SimAbi.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

namespace tilec::explain {

using tilecrt::sim::Counters;
namespace abi = tilecrt::sim::abi;

/// A program that moves less hardly pays for its start.
static constexpr double kUsefulBytes = 8192;

void findTail(const RuleContext &context, std::vector<Suggestion> &found) {
  double tail = termOf(context.report.time, "tail");
  if (tail <= 0)
    return;
  double multiprocessors = context.report.gpu->multiprocessors;
  double full = context.work.ctas / multiprocessors;
  std::string text = llvm::formatv(
      "{0} programs are {1:F2} waves on {2} multiprocessors, and the last one takes as long as a "
      "full one: choose blocks whose number of programs is a multiple of {2} or just below it, "
      "split the work of a program (split-K), or make the kernel persistent",
      uint64_t(context.work.ctas), full, unsigned(multiprocessors));
  double now = context.report.time.predicted;
  if (tail < 0.03 * now)
    return;
  found.push_back({"tail", context.lineWith("program_id"), std::move(text), tail,
                   now / (now - tail), "the same work spread evenly over the multiprocessors"});
}

void findMasked(const RuleContext &context, std::vector<Suggestion> &found) {
  uint64_t lanes = 0, masked = 0;
  const PlacedCounts *worst = nullptr;
  auto maskedAt = [](const PlacedCounts &place) {
    const Counters &c = place.counts.counters;
    return c.globalLoadMaskedLanes + c.globalStoreMaskedLanes;
  };
  for (const PlacedCounts &place : context.places) {
    const Counters &c = place.counts.counters;
    lanes += c.globalLoadLanes + c.globalStoreLanes;
    masked += maskedAt(place);
    if (!worst || maskedAt(place) > maskedAt(*worst))
      worst = &place;
  }
  // Blocks are powers of two: up to half of one is often masked off.
  if (!worst || double(masked) < 0.5 * double(lanes))
    return;
  double used = 1 - double(masked) / double(lanes);
  std::string text = llvm::formatv(
      "{0:F0} % of the elements are masked off: take blocks that fit the data", 100 * (1 - used));
  if (auto block = context.blockConstant())
    text += llvm::formatv(" ({0} = {1} is too large)", block->name, block->extent);
  context.suggest(found, "masked", worst->line, text,
                  "instructions and waits for the elements that are used only",
                  [&](LaunchWork &work) {
                    double kept = std::max(used, 1.0 / 32);
                    for (uint64_t &count : work.counters.instructions)
                      count = uint64_t(double(count) * kept);
                    work.counters.shuffles = uint64_t(double(work.counters.shuffles) * kept);
                    work.counters.sharedLoadWavefronts =
                        uint64_t(double(work.counters.sharedLoadWavefronts) * kept);
                    work.counters.sharedStoreWavefronts =
                        uint64_t(double(work.counters.sharedStoreWavefronts) * kept);
                    work.spillWavefronts *= kept;
                    work.loadRounds = std::max(1.0, work.loadRounds * kept);
                  });
}

/// Programs too small: their start, and what each does for itself, is most of the time.
static void findSmallPrograms(const RuleContext &context, std::vector<Suggestion> &found) {
  const LaunchWork &work = context.work;
  const Counters &c = work.counters;
  double bytes =
      double(c.globalLoadBytes + c.globalStoreBytes + c.bulkLoadBytes + c.bulkStoreBytes);
  double each = bytes / work.ctas;
  auto block = context.blockConstant();
  // More than one wave: otherwise larger programs would leave multiprocessors idle.
  double spare = work.ctas / (4.0 * context.report.gpu->multiprocessors);
  if (!block || each >= kUsefulBytes || each <= 0 || spare < 2 || c.multiplyAdds != 0)
    return;
  double times = double(llvm::bit_floor(uint64_t(std::min(spare, kUsefulBytes * 2 / each))));
  if (times < 2)
    return;
  std::string text =
      llvm::formatv("each of {0} programs moves {1:F0} bytes only: ", uint64_t(work.ctas), each);
  text += block->isStep ? llvm::formatv("raise {0} from {1} to {2}", block->name, block->extent,
                                        block->extent * int64_t(times))
                              .str()
                        : llvm::formatv("let a program do the work of {0}", times).str();
  context.suggest(found, "block-size", block->line, text,
                  llvm::formatv("{0} times as much work in a program", times),
                  [&](LaunchWork &changed) {
                    changed.ctas /= times;
                    // Threads that had no element of their own did the same as others.
                    double replicas = std::max(1.0, work.threadsPerCta / double(block->extent));
                    double kept = 1 / std::min(times, replicas);
                    for (size_t i = 0; i < changed.counters.instructions.size(); ++i)
                      changed.counters.instructions[i] =
                          uint64_t(double(changed.counters.instructions[i]) * kept);
                  });
}

/// Too few programs: multiprocessors without work.
static void findFewPrograms(const RuleContext &context, std::vector<Suggestion> &found) {
  const LaunchWork &work = context.work;
  double multiprocessors = context.report.gpu->multiprocessors;
  if (work.ctas >= multiprocessors || work.ctas <= 0)
    return;
  auto block = context.blockConstant();
  double times = std::ceil(multiprocessors / work.ctas);
  std::string text = llvm::formatv(
      "{0} programs leave {1} of {2} multiprocessors without work: ", uint64_t(work.ctas),
      unsigned(multiprocessors - work.ctas), unsigned(multiprocessors));
  bool canShrink = block && block->isStep && block->extent >= 64;
  if (canShrink)
    times = std::min(times, double(block->extent) / 32);
  text += canShrink ? llvm::formatv("lower {0} from {1}, or split the work of a program over "
                                    "several",
                                    block->name, block->extent)
                          .str()
                    : std::string("split the work of a program over several");
  context.suggest(found, "block-size", canShrink ? block->line : context.lineWith("program_id"),
                  text, llvm::formatv("{0:F0} times as many programs", times),
                  [&](LaunchWork &changed) {
                    changed.ctas *= times;
                    changed.loadRounds = std::max(1.0, changed.loadRounds / times);
                    changed.copyRounds /= times;
                  });
}

void findBlockSize(const RuleContext &context, std::vector<Suggestion> &found) {
  findSmallPrograms(context, found);
  findFewPrograms(context, found);
}

} // namespace tilec::explain
