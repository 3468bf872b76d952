// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Verdict.h.

#include "Verdict.h"

#include "Rules/Rules.h"

#include "tilec/Explain/Differences.h"
#include "tilec/Target/Occupancy.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <numeric>

using llvm::StringRef;

namespace tilec::explain {

constexpr size_t kMostSuggestions = 3;

static const Processor &processorOf(const Report &report) {
  llvm::Expected<const Processor *> found = findProcessor(report.target);
  if (found)
    return **found;
  llvm::consumeError(found.takeError());
  return report.gpu->facts();
}

Occupancy findOccupancy(const Report &report) {
  const Processor &processor = processorOf(report);
  CtaFootprint cta;
  cta.threads = report.launch.threadsPerCta;
  cta.registersPerThread = report.resources.registers.value_or(0);
  cta.sharedBytes = int(report.resources.dynamicSharedBytes + report.resources.staticSharedBytes);
  constexpr int warp = Processor::kWarpSize;
  int threads = std::max((cta.threads + warp - 1) / warp * warp, warp);
  Occupancy occupancy;
  occupancy.byCtas = processor.maxCtas;
  occupancy.byThreads = processor.maxThreads / threads;
  occupancy.byRegisters = Processor::ctasByRegisters(threads, cta.registersPerThread);
  occupancy.bySharedMemory =
      processor.sharedBytes / (cta.sharedBytes + std::max(1, processor.systemSharedBytes));
  occupancy.ctas = std::max(1, residentCtas(processor, cta));
  occupancy.warps = occupancy.ctas * threads / warp;
  occupancy.maxWarps = processor.maxThreads / warp;
  const std::pair<const char *, int> limits[] = {{"registers", occupancy.byRegisters},
                                                 {"shared memory", occupancy.bySharedMemory},
                                                 {"threads", occupancy.byThreads},
                                                 {"CTAs", occupancy.byCtas}};
  int least = processor.maxThreads;
  for (const auto &[name, ctas] : limits)
    if (ctas < least) {
      least = ctas;
      occupancy.limitedBy = name;
    }
  return occupancy;
}

Waves findWaves(const Report &report) {
  Waves waves;
  waves.perWave = uint64_t(report.occupancy.ctas) * uint64_t(report.gpu->multiprocessors);
  waves.full = report.launch.ctas / waves.perWave;
  waves.tail = report.launch.ctas % waves.perWave;
  waves.count = double(report.launch.ctas) / double(waves.perWave);
  waves.efficiency = waves.count > 0 ? waves.count / std::ceil(waves.count) : 1;
  return waves;
}

namespace {

struct BoundWords {
  StringRef term, bound, words;
};

constexpr BoundWords kBounds[] = {
    {"memory", "memory", "the bytes that it reads and writes"},
    {"cache", "L2 cache", "the sectors that its requests take from the second cache"},
    {"tensor", "tensor cores", "the operations of its dots"},
    {"issue", "issue", "the instructions that its warps issue"},
    {"shared", "shared memory", "the wavefronts of shared memory and the first cache"},
    {"latency", "latency", "what warps wait for, one thing after the other"},
    {"atomics", "atomics", "atomics that meet at one address"},
    {"programs", "programs", "the start of its programs"},
    {"launch", "launch", "the launch, which takes longer than the work"},
    {"tail", "tail", "the last wave of programs, which is nearly empty"},
};

std::string timeText(double microseconds) {
  return microseconds < 1000 ? llvm::formatv("{0:F1} us", microseconds).str()
                             : llvm::formatv("{0:F2} ms", microseconds / 1000).str();
}

} // namespace

/// Nothing without samples.
static std::optional<HottestLine> findHottest(const Report &report) {
  if (!report.samples || !report.samples->absent.empty())
    return std::nullopt;
  auto hottest = llvm::max_element(
      report.lines, [](const SourceLine &a, const SourceLine &b) { return a.samples < b.samples; });
  HottestLine found;
  found.line = size_t(hottest - report.lines.begin());
  found.share = double(hottest->samples) / double(report.samples->count);
  auto reason = llvm::max_element(hottest->stalls);
  found.reason = size_t(reason - hottest->stalls.begin());
  found.reasonShare = double(*reason) / double(hottest->samples);
  return found;
}

std::string compilerText(const Report &report) {
  std::string name = report.compiler == "triton" ? "Triton" : report.compiler;
  return report.version.empty() ? name : name + " " + report.version;
}

/// Of a kernel that was not counted there is no more to say than what it was measured to take.
static std::string describeUncounted(const Report &report) {
  std::string by = "compiled by " + compilerText(report);
  if (report.occupancy.ctas == 0)
    return llvm::formatv("{0}; it cannot be launched: {1} bytes of shared memory are more than the "
                         "{2} that an {3} has for a CTA",
                         by,
                         report.resources.staticSharedBytes + report.resources.dynamicSharedBytes,
                         report.gpu->facts().maxSharedBytesPerCta(), StringRef(report.gpu->name));
  return by + (report.time.measured ? "; measured " + timeText(*report.time.measured)
                                    : "; how long it takes is not known without a launch on a GPU");
}

void giveVerdict(Report &report, const LaunchWork &work) {
  Verdict &verdict = report.verdict;
  verdict.hottest = findHottest(report);
  if (!report.isCounted) {
    verdict.text = describeUncounted(report);
    return;
  }
  const Time &time = report.time;
  verdict.ofLimit = report.roofline.ofLimit;
  for (const BoundWords &bound : kBounds)
    if (bound.term == time.bound) {
      verdict.bound = bound.bound.str();
      verdict.text =
          llvm::formatv("bound by {0}: {1} of {2} are for {3}; {4:F0} % of the roof of an {5}",
                        bound.bound, timeText(termOf(time, bound.term)), timeText(time.predicted),
                        bound.words, 100 * verdict.ofLimit, StringRef(report.gpu->name));
    }
  if (time.measured)
    verdict.text += llvm::formatv("; measured {0}", timeText(*time.measured));
  verdict.suggestions = applyRules(report, work, kMostSuggestions);
}

/// As many significant digits as are of use.
static std::string percent(double share) { return llvm::formatv("{0:F0} %", 100 * share).str(); }

static std::string placeText(const Report &report, LineIndex index) {
  if (!index)
    return report.kernel;
  const SourceLine &line = report.lines[*index];
  return report.files[line.file].name + ":" + std::to_string(line.line);
}

/// The lines with the most samples, and what they wait for.
static std::string describeHotLines(const Report &report) {
  constexpr size_t mostShown = 3;
  constexpr double leastShare = 0.05;
  std::vector<size_t> order(report.lines.size());
  std::iota(order.begin(), order.end(), size_t(0));
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::make_pair(report.lines[b].samples, a) < std::make_pair(report.lines[a].samples, b);
  });
  std::string text;
  for (size_t index : llvm::ArrayRef(order).take_front(mostShown)) {
    const SourceLine &line = report.lines[index];
    double share = double(line.samples) / double(report.samples->count);
    if (share < leastShare && !text.empty())
      break;
    size_t most = size_t(llvm::max_element(line.stalls) - line.stalls.begin());
    const Samples::Reason &reason = report.samples->reasons[most];
    text += llvm::formatv("{0}{1} at {2}, which mostly {3} ({4})", text.empty() ? "" : "; ",
                          percent(share), placeText(report, index), reason.text, reason.name);
  }
  return text;
}

static std::string describeStalls(const Report &report) {
  constexpr double leastShare = 0.02;
  const Samples &samples = *report.samples;
  std::string text;
  for (const Samples::Reason &reason : samples.reasons)
    if (double share = double(reason.count) / double(samples.count); share >= leastShare)
      text += (text.empty() ? "" : ", ") + reason.name + " " + percent(share);
  text += llvm::formatv(" of {0} samples in {1} launches", samples.count, samples.launches);
  if (samples.dropped)
    text += llvm::formatv("; {0} were lost", samples.dropped);
  return text;
}

std::string describeReport(const Report &report) {
  std::string text;
  auto add = [&](StringRef name, StringRef value) {
    text += llvm::formatv("{0,-10}{1}\n", name, value);
  };
  const Launch &launch = report.launch;
  const Occupancy &occupancy = report.occupancy;
  add("kernel",
      llvm::formatv("{0}, {1}, {2} threads, {3} registers, {4} bytes of shared memory",
                    report.kernel, report.target, launch.threadsPerCta,
                    report.resources.registers ? std::to_string(*report.resources.registers)
                                               : std::string("unknown"),
                    report.resources.dynamicSharedBytes + report.resources.staticSharedBytes)
          .str());
  add("grid", llvm::formatv("{0} x {1} x {2}: {3:F2} waves of {4} CTAs, {5} on each "
                            "multiprocessor, limited by {6}",
                            launch.grid[0], launch.grid[1], launch.grid[2], report.waves.count,
                            report.waves.perWave, occupancy.ctas, occupancy.limitedBy)
                  .str());
  if (launch.sampledPrograms)
    add("sample", llvm::formatv("{0} of {1} programs were simulated; counts are scaled",
                                *launch.sampledPrograms, launch.programs)
                      .str());
  for (const Finding &finding : report.findings)
    add("finding", placeText(report, finding.line) + ": " + finding.kind + ": " + finding.message);
  add("verdict", report.verdict.text);
  std::string terms;
  for (const TimeTerm &term : report.time.terms)
    if (term.time >= 0.01 * report.time.predicted)
      terms += (terms.empty() ? "" : ", ") + term.name + " " + timeText(term.time);
  add("time",
      timeText(report.time.predicted) + " predicted (" + terms + ")" +
          (report.time.measured ? ", " + timeText(*report.time.measured) + " measured" : "") +
          (report.time.measuredWarm
               ? ", " + timeText(*report.time.measuredWarm) + " with a warm cache"
               : ""));
  if (report.samples && report.samples->absent.empty()) {
    add("samples", describeHotLines(report));
    add("stalls", describeStalls(report));
  }
  size_t number = 0;
  for (const Suggestion &suggestion : report.verdict.suggestions) {
    text += llvm::formatv("{0}. {1}: {2} [{3}]\n", ++number, placeText(report, suggestion.line),
                          suggestion.text, suggestion.rule);
    text += llvm::formatv("   saves about {0} of {1} ({2}), if {3}\n", timeText(suggestion.gain),
                          timeText(report.time.predicted),
                          percent(suggestion.gain / report.time.predicted), suggestion.how);
  }
  if (number == 0)
    text += "no rule has anything to say\n";
  if (report.against)
    text += "\n" + describeDifferences(report, *report.against);
  return text;
}

} // namespace tilec::explain
