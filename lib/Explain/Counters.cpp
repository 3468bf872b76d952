// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Counters.h. A site is a place with the calls around it; sites of the same calls are one.

#include "Counters.h"

#include "tilecrt/sim/SimAbi.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <set>

using namespace tilecrt::sim;

namespace tilec::explain {

Counts &Counts::operator+=(const Counts &other) {
  counters += other.counters;
  hottest.raiseTo(other.hottest);
  return *this;
}

namespace {

/// All counters times a factor.
Counters scaled(const Counters &counters, double factor) {
  if (factor == 1)
    return counters;
  Counters result = counters;
  // A struct of numbers alone (Counters.cpp says so).
  auto *numbers = reinterpret_cast<uint64_t *>(&result);
  for (size_t i = 0; i < sizeof(Counters) / sizeof(uint64_t); ++i)
    numbers[i] = uint64_t(std::llround(double(numbers[i]) * factor));
  return result;
}

SerialAtomics scaled(const SerialAtomics &atomics, double factor) {
  return {uint64_t(std::llround(double(atomics.integers) * factor)),
          uint64_t(std::llround(double(atomics.floats) * factor))};
}

Counts countsOf(const CountedLaunch &launch, size_t site) {
  Counts counts;
  counts.counters = scaled(launch.result->siteCounters[site], launch.scale);
  counts.hottest = scaled(launch.result->hottestAtomics[site], launch.scale);
  return counts;
}

constexpr double sectorBytes = 32, warpSize = 32;
/// What all programs load from there stays in the first cache.
constexpr uint64_t mostSharedBytes = 64 * 1024;

/// Place of the source, as a key.
using Place = std::pair<std::string, int>;

Place placeOf(const Site &site) { return {site.file, site.line}; }

} // namespace

void collectCounters(const CountedLaunch &launch, LineTable &lines, Report &report) {
  const LaunchResult &result = *launch.result;
  std::map<std::vector<std::pair<size_t, int>>, Counts> byStack;
  for (size_t i = 0; i < result.siteCounters.size(); ++i) {
    if (result.siteCounters[i].empty())
      continue;
    Counts counts = countsOf(launch, i);
    report.totals += counts;
    if (i >= launch.sites->size() || (*launch.sites)[i].line < 1)
      continue;
    const Site &site = (*launch.sites)[i];
    std::vector<std::pair<size_t, int>> stack = {{lines.file(site.file, site.line), site.line}};
    for (const CallPlace &caller : site.callers)
      if (caller.line > 0)
        stack.emplace_back(lines.file(caller.file, caller.line), caller.line);
    byStack[stack] += counts;
    std::set<size_t> seen;
    for (auto [file, line] : stack)
      if (LineIndex index = lines.add(file, line); index && seen.insert(*index).second)
        lines[*index].counts += counts;
  }
  report.totals.hottest = scaled(result.hottestOfAll, launch.scale);
  for (auto &[stack, counts] : byStack) {
    CallPath &path = report.calls.emplace_back();
    path.counts = counts;
    for (auto [file, line] : llvm::reverse(stack)) {
      std::string function = lines.functionAt(file, line);
      path.stack.push_back({function.empty() ? launch.kernel : function, file, line});
    }
  }
  // Of a sample: other programs touch other bytes, as far as there are any.
  double bytes = 0;
  for (const Argument &argument : report.launch.arguments)
    bytes += double(argument.bytes);
  auto scaledBytes = [&](uint64_t touched) {
    return uint64_t(std::max(double(touched), std::min(double(touched) * launch.scale, bytes)));
  };
  report.readFootprint = scaledBytes(result.readFootprint);
  report.writtenFootprint = scaledBytes(result.writtenFootprint);
}

void collectWork(const CountedLaunch &launch, const Report &report, LaunchWork &work) {
  const LaunchResult &result = *launch.result;
  work.counters = report.totals.counters;
  work.hottestIntegers = double(report.totals.hottest.integers);
  work.hottestFloats = double(report.totals.hottest.floats);
  work.hottestLineAtomics = double(result.hottestLineAtomics) * launch.scale;
  work.readBytes = double(report.readFootprint);
  work.writtenBytes = double(report.writtenFootprint);
  work.ctas = launch.ctas;
  work.threadsPerCta = launch.threadsPerCta;
  for (size_t i = 0; i < result.siteCounters.size(); ++i) {
    const Counters &c = result.siteCounters[i];
    double sectors = double(c.globalLoadSectors) * launch.scale;
    work.mergedAtomics +=
        (double(c.globalAtomics) - double(result.atomicUpdates[i])) * launch.scale;
    if (c.asyncCopies != 0)
      work.copiedSectors += sectors;
    else if (result.loadSpans[i] <= mostSharedBytes)
      // Each multiprocessor loads them once.
      work.sharedSectors +=
          std::max(0.0, sectors - double(result.loadSpans[i]) / sectorBytes *
                                      std::min(launch.ctas, launch.multiprocessors));
    else
      work.reloadedSectors += double(result.loadsAgain[i]) * launch.scale;
  }
  std::map<Place, Counters> places;
  for (size_t i = 0; i < launch.sites->size(); ++i)
    places[placeOf((*launch.sites)[i])] += result.siteCounters[i];
  for (size_t i = 0; i < launch.sites->size(); ++i) {
    if (result.blockRuns[i] == 0)
      continue;
    bool loads = false, copies = false, isElected = false;
    for (const BlockInstructions &part : (*launch.sites)[i].block) {
      if (part.instructionClass != abi::ClassMemory)
        continue;
      const Counters &there = places[placeOf((*launch.sites)[size_t(part.site)])];
      copies |= there.asyncCopies != 0;
      isElected |= there.bulkLoads != 0;
      loads |= there.globalLoadRequests != 0 && there.asyncCopies == 0;
    }
    double runs = double(result.blockRuns[i]) * launch.scale / launch.ctas;
    // One thread starts a bulk copy. Copies of an iteration, and of a loop, are in flight together.
    if (isElected || copies)
      work.copyRounds = std::max(work.copyRounds, isElected ? runs : runs / launch.threadsPerCta);
    else if (loads)
      work.loadRounds += runs / launch.threadsPerCta;
  }
}

std::map<Place, double> collectRuns(const CountedLaunch &launch) {
  std::map<Place, double> runs;
  for (size_t i = 0; i < launch.sites->size(); ++i)
    for (const BlockInstructions &part : (*launch.sites)[i].block) {
      double &most = runs[placeOf((*launch.sites)[size_t(part.site)])];
      most = std::max(most, double(launch.result->blockRuns[i]) * launch.scale);
    }
  return runs;
}

std::map<Place, LineLoads> collectLoads(const CountedLaunch &launch) {
  struct Sectors {
    double all = 0, fresh = 0, distinct = 0, bytes = 0;
  };
  std::map<Place, Sectors> places;
  const LaunchResult &result = *launch.result;
  for (size_t i = 0; i < launch.sites->size(); ++i) {
    const Counters &c = result.siteCounters[i];
    uint64_t active = c.globalLoadLanes - c.globalLoadMaskedLanes;
    if (active == 0 || c.asyncCopies != 0)
      continue;
    Sectors &place = places[placeOf((*launch.sites)[i])];
    double sectors = double(c.globalLoadSectors), span = double(result.loadSpans[i]) / sectorBytes;
    double fresh = sectors - double(result.loadsAgain[i]);
    if (result.loadSpans[i] <= mostSharedBytes)
      fresh = std::min(fresh, span * std::min(launch.ctas, launch.multiprocessors) / launch.scale);
    place.all += sectors;
    place.fresh += fresh;
    place.distinct += std::min(fresh, span / launch.scale);
    place.bytes += double(c.globalLoadBytes) / double(active) * double(c.globalLoadLanes);
  }
  std::map<Place, LineLoads> loads;
  double warps = std::ceil(double(launch.threadsPerCta) / warpSize);
  for (const auto &[place, sectors] : places) {
    LineLoads &line = loads[place];
    line.bytesPerThread = sectors.bytes * launch.scale / launch.ctas / launch.threadsPerCta;
    // Warps that load the same wait for the first of them to get it.
    if (sectors.all > 0)
      line.missing = std::min(1.0, warps * sectors.fresh / sectors.all);
    if (sectors.fresh > 0)
      line.missingTwice = sectors.distinct / sectors.fresh;
  }
  return loads;
}

/// What tells the stacks of two calls apart.
static std::vector<std::pair<size_t, int>> placesOf(const CallPath &path) {
  std::vector<std::pair<size_t, int>> places;
  for (const CallPath::Frame &frame : path.stack)
    places.emplace_back(frame.file, frame.line);
  return places;
}

void shareTime(Report &report) {
  // What is counted at no line is nobody's.
  double added = 0;
  for (const TimeTerm &term : report.time.terms)
    added += term.isAdded ? term.time : 0;
  double time = std::max(0.0, report.time.predicted - added);
  std::map<std::pair<size_t, int>, double> self;
  for (CallPath &path : report.calls) {
    path.share = shareOf(path.counts, report.totals, report.time);
    path.time = path.share * time;
    self[{path.stack.back().file, path.stack.back().line}] += path.share;
  }
  llvm::sort(report.calls, [](const CallPath &a, const CallPath &b) {
    return std::make_pair(b.share, placesOf(a)) < std::make_pair(a.share, placesOf(b));
  });
  for (SourceLine &line : report.lines) {
    line.share = shareOf(line.counts, report.totals, report.time);
    line.time = line.share * time;
    auto own = self.find({line.file, line.line});
    line.selfShare = own == self.end() ? 0 : own->second;
  }
}

} // namespace tilec::explain
