// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules about loops: loads that wait for memory one after the other, dots that do not run on the
// fastest instruction.

#include "Rules.h"

#include "tilec/Support/RemarkCategory.h"

#include "tilecrt/sim/SimAbi.h"

#include "llvm/Support/FormatVariadic.h"

namespace tilec::explain {

using tilecrt::sim::Counters;
namespace abi = tilecrt::sim::abi;

/// What three buffers in a ring make of it.
static constexpr double kCopiesAhead = 2;

void findWaitingLoads(const RuleContext &context, std::vector<Suggestion> &found) {
  if (context.work.loadRounds < 1.5)
    return;
  // The line that loads the most is the loop's.
  const PlacedCounts *loads = nullptr;
  for (const PlacedCounts &place : context.places)
    if (!loads ||
        place.counts.counters.globalLoadSectors > loads->counts.counters.globalLoadSectors)
      loads = &place;
  if (!loads || loads->counts.counters.globalLoadRequests == 0)
    return;
  LineIndex line = loads->line;
  std::string reason;
  for (const auto &[place, why] : context.report.schedule.obstacles)
    if (place && context.report.lines[*place].file == 0) {
      line = place;
      reason = why;
    }
  std::string text =
      llvm::formatv("a warp waits {0:F0} times in a row for a load: ", context.work.loadRounds);
  text += reason.empty() ? std::string("load blocks ahead of the loop (tl.range(..., "
                                       "num_stages=3)), or more in one iteration")
                         : "the load is not copied ahead, since " + reason;
  context.suggest(found, reason.empty() ? "in-flight" : "pipeline", line, text,
                  "the loads of three iterations in flight", [](LaunchWork &work) {
                    work.loadRounds = std::max(1.0, work.loadRounds / (1 + kCopiesAhead));
                  });
}

void findSlowDots(const RuleContext &context, std::vector<Suggestion> &found) {
  for (const PlacedCounts &place : context.places) {
    const Remark *remark = context.remarkAt(place.line, remarks::kDot);
    if (!remark)
      continue;
    const Counters &c = place.counts.counters;
    context.suggest(found, "tensor-cores", place.line, remark->message,
                    "the dot on the fastest tensor-core instruction", [&](LaunchWork &work) {
                      if (c.multiplyAdds == 0) {
                        // Multiplied by the other units, an instruction for each sum.
                        work.counters.multiplyAdds += c.instructions[abi::ClassFloat];
                        for (abi::InstructionClass moved : {abi::ClassFloat, abi::ClassMemory,
                                                            abi::ClassInteger, abi::ClassConvert})
                          takeFrom(work.counters.instructions[moved], c.instructions[moved]);
                        takeFrom(work.counters.sharedLoadWavefronts, c.sharedLoadWavefronts);
                      }
                      takeFrom(work.counters.mmas, c.mmas);
                      work.counters.wgmmas += 1;
                    });
  }
}

/// The rows and columns of the only dot of a loop; nothing for other loops.
static std::optional<std::pair<int64_t, int64_t>> dotOf(const ScheduledLoop &loop) {
  std::optional<std::pair<int64_t, int64_t>> found;
  for (const ScheduledLoop::Step &step : loop.steps) {
    auto [op, shape] = llvm::StringRef(step.op).split(' ');
    if (op != "tilegpu.wgmma" && op != "tilegpu.dot")
      continue;
    int64_t rows = 0, columns = 0;
    if (found || shape.consumeInteger(10, rows) || !shape.consume_front("x") ||
        shape.consumeInteger(10, columns))
      return std::nullopt;
    found = {rows, columns};
  }
  return found;
}

void findSmallTiles(const RuleContext &context, std::vector<Suggestion> &found) {
  // Accumulators of two warpgroups have no more.
  constexpr int64_t mostElements = 128 * 256;
  const Report &report = context.report;
  double cache = termOf(report.time, "cache");
  if (report.schedule.loops.size() != 1 || cache < termOf(report.time, "tensor") ||
      cache < termOf(report.time, "memory"))
    return;
  const ScheduledLoop &loop = report.schedule.loops.front();
  std::optional<std::pair<int64_t, int64_t>> dot = dotOf(loop);
  if (!dot || 2 * dot->first * dot->second > mostElements)
    return;
  auto [rows, columns] = *dot;
  // The last parameter of that extent: columns come behind rows. The inner extent is not it.
  int64_t extent = std::min(rows, columns);
  const Argument *raised = nullptr;
  for (const Argument &argument : report.launch.arguments)
    if (argument.kind == Argument::Kind::Constant && argument.value == std::to_string(extent) &&
        !llvm::StringRef(argument.name).ends_with("_K") &&
        context.lineWith(argument.name + ")") != context.lineWith("def "))
      raised = &argument;
  if (!raised)
    return;
  double before = double(rows + columns) / double(rows * columns);
  double after = double(rows + columns + extent) / double(2 * rows * columns);
  std::string text = llvm::formatv(
      "blocks of {0} x {1} load each operand often: raise {2} from {3} to {4} (and the warps with "
      "it, num_warps=8)",
      rows, columns, raised->name, extent, 2 * extent);
  context.suggest(found, "block-size", context.lineWith(raised->name + ")"), text,
                  "operands loaded by half as many programs", [&](LaunchWork &work) {
                    double kept = after / before;
                    work.ctas /= 2;
                    work.copiedSectors *= kept;
                    work.counters.bulkLoadBytes =
                        uint64_t(double(work.counters.bulkLoadBytes) * kept);
                    work.counters.globalLoadSectors =
                        uint64_t(double(work.counters.globalLoadSectors) * kept);
                  });
}

} // namespace tilec::explain
