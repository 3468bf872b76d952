// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Samples.h. The cubin says the line of an instruction, and not who calls the function around
// it: where several places do, the samples are theirs as the predicted time is.

#include "Samples.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using llvm::StringRef;
using tilecrt::cuda::PcCount;
using tilecrt::cuda::PcSamples;

namespace tilec::explain {

//===----------------------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------------------===//

std::optional<uint64_t> addressOfSass(StringRef line) {
  StringRef rest = line.ltrim();
  uint64_t address = 0;
  if (!rest.consume_front("/*") || rest.consumeInteger(16, address) || !rest.starts_with("*/"))
    return std::nullopt;
  return address;
}

SassIndex::SassIndex(const StageText &sass) {
  constexpr StringRef sectionStart = ".text.";
  std::string section, function;
  std::optional<uint64_t> base;
  for (auto [row, text] : llvm::enumerate(sass.lines)) {
    StringRef line = StringRef(text).trim();
    if (std::optional<uint64_t> address = addressOfSass(line)) {
      if (!base)
        base = address;
      rows[function][*address - *base] = row;
      rows[section].try_emplace(*address, row);
      if (function != section)
        added.insert(row);
    } else if (line.consume_back(":")) {
      if (line.consume_front(sectionStart)) {
        section = function = line.str();
        base = 0;
      } else if (!line.starts_with(".")) {
        function = line.str();
        base.reset();
      }
    }
  }
}

std::optional<size_t> SassIndex::find(StringRef function, uint64_t offset) const {
  auto known = rows.find(function);
  if (known == rows.end())
    return std::nullopt;
  auto row = known->second.find(offset);
  return row == known->second.end() ? std::nullopt : std::optional<size_t>(row->second);
}

//===----------------------------------------------------------------------------------===//
// Reasons
//===----------------------------------------------------------------------------------===//

std::optional<StringRef> stallOf(StringRef name) {
  name.consume_front("smsp__pcsamp_");
  if (name.ends_with("_not_issued") || name == "sample_count" || name == "samples_data_dropped")
    return std::nullopt;
  // Of other versions.
  if (!name.consume_front("warps_issue_stalled_"))
    name.consume_front("warp_stall_");
  return name;
}

StringRef describeStall(StringRef stall) {
  struct Row {
    StringRef stall, text;
  };
  constexpr Row rows[] = {
      {"barrier", "waits for other warps at a barrier"},
      {"branch_resolving", "waits for where a branch goes"},
      {"dispatch_stall", "waits for the dispatcher"},
      {"drain", "waits at its end for its stores"},
      {"gmma", "waits for products of its warpgroup"},
      {"imc_miss", "waits for a constant that is not in its cache"},
      {"lg_throttle", "waits for room in the queue of global and local accesses"},
      {"long_scoreboard", "waits for a load from global or local memory"},
      {"math_pipe_throttle", "waits for an arithmetic unit that is busy"},
      {"membar", "waits for a memory fence"},
      {"mio_throttle", "waits for room in the queue of shared memory and special functions"},
      {"misc", "waits for something else"},
      {"no_instructions", "waits for instructions to be fetched"},
      {"not_selected", "could go on while another warp issues"},
      {"selected", "issues an instruction"},
      {"short_scoreboard", "waits for shared memory or a special function"},
      {"sleeping", "sleeps"},
      {"tex_throttle", "waits for room in the queue of textures"},
      {"wait", "waits for the fixed latency of an instruction"},
      {"warpgroup_arrive", "waits for the warps of its warpgroup"},
  };
  for (const Row &row : rows)
    if (row.stall == stall)
      return row.text;
  return "waits";
}

//===----------------------------------------------------------------------------------===//
// Lines and calls
//===----------------------------------------------------------------------------------===//

namespace {

class SampleCollector {
public:
  SampleCollector(const StageText &stage, LineTable &lineTable, Report &made)
      : sass(stage), index(stage), lines(lineTable), report(made), samples(*made.samples) {}

  void collect(const PcSamples &taken);

private:
  void nameReasons(const PcSamples &taken);
  void addAt(size_t line, size_t reason, uint64_t count);
  void add(const PcCount &count);
  void addToCalls(size_t line, uint64_t count);
  void sortReasons();

  const StageText &sass;
  SassIndex index;
  LineTable &lines;
  Report &report;
  Samples &samples;
  /// By the reasons of the library: their index in the report.
  std::vector<std::optional<size_t>> reasons;
};

} // namespace

void SampleCollector::nameReasons(const PcSamples &taken) {
  for (const std::string &name : taken.reasons) {
    reasons.emplace_back();
    if (std::optional<StringRef> stall = stallOf(name)) {
      reasons.back() = samples.reasons.size();
      samples.reasons.push_back({stall->str(), describeStall(*stall).str(), 0});
    }
  }
}

void SampleCollector::addAt(size_t line, size_t reason, uint64_t count) {
  SourceLine &source = lines[line];
  source.samples += count;
  source.stalls.resize(samples.reasons.size());
  source.stalls[reason] += count;
}

void SampleCollector::add(const PcCount &count) {
  std::optional<size_t> reason = reasons[count.reason];
  if (!reason)
    return;
  // Other kernels may have run, as those that overwrite the cache.
  if (!index.knows(count.function))
    return;
  samples.count += count.samples;
  samples.reasons[*reason].count += count.samples;
  std::optional<size_t> row = index.find(count.function, count.offset);
  std::vector<size_t> places = row ? sass.source[*row] : std::vector<size_t>();
  if (places.empty()) {
    samples.unplaced += count.samples;
    return;
  }
  // Of an inlined place the innermost line comes first.
  if (!index.isAdded(*row))
    places.resize(1);
  for (size_t i = 0; i < places.size(); ++i)
    addAt(places[i], *reason,
          count.samples / places.size() + (i < count.samples % places.size() ? 1 : 0));
}

void SampleCollector::addToCalls(size_t line, uint64_t count) {
  size_t file = lines[line].file;
  int number = lines[line].line;
  std::vector<CallPath *> paths;
  double time = 0;
  for (CallPath &path : report.calls)
    if (path.stack.back().file == file && path.stack.back().line == number) {
      paths.push_back(&path);
      time += path.share;
    }
  if (paths.empty()) {
    CallPath &path = report.calls.emplace_back();
    std::string function = lines.functionAt(file, number);
    path.stack = {{function.empty() ? report.kernel : function, file, number}};
    paths = {&path};
  }
  for (CallPath *path : paths) {
    double part = time > 0 ? path->share / time : 1 / double(paths.size());
    path->samples += part * double(count);
    std::set<size_t> seen;
    for (const CallPath::Frame &frame : path->stack)
      if (LineIndex around = lines.add(frame.file, frame.line); seen.insert(*around).second)
        lines[*around].allSamples += part * double(count);
  }
}

/// The most frequent reason first; those that were never seen are left out.
void SampleCollector::sortReasons() {
  std::vector<size_t> order;
  for (size_t i = 0; i < samples.reasons.size(); ++i)
    if (samples.reasons[i].count != 0)
      order.push_back(i);
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::make_pair(samples.reasons[b].count, a) <
           std::make_pair(samples.reasons[a].count, b);
  });
  auto sorted = [&](auto &list) {
    std::decay_t<decltype(list)> result;
    for (size_t i : order)
      result.push_back(list[i]);
    list = std::move(result);
  };
  for (SourceLine &line : report.lines)
    if (!line.stalls.empty())
      sorted(line.stalls);
  sorted(samples.reasons);
}

void SampleCollector::collect(const PcSamples &taken) {
  samples.dropped = taken.dropped;
  samples.launches = taken.launches;
  samples.periodCycles = taken.periodCycles;
  nameReasons(taken);
  for (const PcCount &count : taken.counts)
    add(count);
  // Lines may be added on the way.
  for (size_t line = 0, last = report.lines.size(); line < last; ++line)
    if (uint64_t count = lines[line].samples)
      addToCalls(line, count);
  sortReasons();
}

/// Why samples that were taken are of no use; empty where they are.
static std::string reasonForNone(const PcSamples &taken, const StageText *sass) {
  if (!sass || !sass->absent.empty())
    return "their instructions have no lines without the SASS" +
           (sass ? ": " + sass->absent : std::string());
  if (!taken.counts.empty())
    return "";
  return llvm::formatv("CUPTI gave none in {0} launches: {1} taken, {2} of them lost{3}",
                       taken.launches, taken.total, taken.dropped,
                       taken.isBufferFull ? ", the buffer of the hardware was full" : "");
}

void collectSamples(const GpuRun &run, LineTable &lines, Report &report) {
  Samples &samples = report.samples.emplace();
  samples.absent = run.noSamples;
  if (!run.samples)
    return;
  const PcSamples &taken = *run.samples;
  auto sass = llvm::find_if(report.stages, [](const auto &stage) { return stage.name == "sass"; });
  samples.absent = reasonForNone(taken, sass == report.stages.end() ? nullptr : &*sass);
  if (!samples.absent.empty())
    return;
  SampleCollector(*sass, lines, report).collect(taken);
  if (samples.unplaced < samples.count)
    return;
  const PcCount &first = taken.counts.front();
  samples.absent = llvm::formatv("none is at an instruction of the kernel that has a line: of {0} "
                                 "places the first one is '{1}' + {2:x}",
                                 taken.counts.size(), first.function, first.offset);
}

} // namespace tilec::explain
