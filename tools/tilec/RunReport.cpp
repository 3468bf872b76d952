// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RunReport.h.

#include "RunReport.h"

#include "CounterTable.h"
#include "FindingDiagnostics.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <cmath>

namespace tilec::tool {

bool isFailure(const RunReport &report) {
  if (report.outcome.simulated && !report.outcome.launch.clean())
    return true;
  return llvm::any_of(report.expectations,
                      [](const ExpectationResult &result) { return !result.comparison.matches(); });
}

namespace {

std::string printDuration(double microseconds) {
  if (microseconds < 1e3)
    return llvm::formatv("{0:F2} us", microseconds);
  if (microseconds < 1e6)
    return llvm::formatv("{0:F3} ms", microseconds / 1e3);
  return llvm::formatv("{0:F3} s", microseconds / 1e6);
}

std::string printBytes(uint64_t bytes) {
  if (bytes < 10 * 1024)
    return llvm::formatv("{0} bytes", bytes);
  if (bytes < (10u << 20))
    return llvm::formatv("{0:F1} KiB", double(bytes) / 1024);
  return llvm::formatv("{0:F1} MiB", double(bytes) / (1 << 20));
}

/// Bytes per second of the arguments' memory, each byte counted once; 0 when nothing was timed.
double bandwidth(const RunReport &report) {
  double seconds = report.outcome.time.median * 1e-6;
  return seconds > 0 ? double(report.plan.argumentBytes()) / seconds : 0;
}

std::string describeKernel(const tilecrt::KernelMetadata &metadata) {
  std::string text = llvm::formatv("{0} ({1}, {2} warps, {3} bytes of shared memory", metadata.name,
                                   metadata.target, metadata.numWarps,
                                   metadata.dynamicSharedBytes + metadata.staticSharedBytes);
  if (metadata.registers >= 0)
    text += llvm::formatv(", {0} registers", metadata.registers);
  if (metadata.spillBytes > 0)
    text += llvm::formatv(", {0} bytes spilled", metadata.spillBytes);
  return text + ")";
}

std::string describeTime(const RunReport &report) {
  const RunTime &time = report.outcome.time;
  std::string text = printDuration(time.median);
  if (report.outcome.simulated)
    text += " to simulate";
  if (report.outcome.interpreted)
    text += " to interpret";
  if (time.repeats > 1)
    text += llvm::formatv(", median of {0}, least {1}", time.repeats, printDuration(time.min));
  if (report.outcome.simulated || report.outcome.interpreted)
    return text;
  return text + llvm::formatv("; {0} of arrays, {1:F1} GB/s",
                              printBytes(report.plan.argumentBytes()), bandwidth(report) / 1e9)
                    .str();
}

std::string describeChecks(const RunOutcome &outcome) {
  if (!outcome.checked)
    return "off";
  if (outcome.launch.findings.empty())
    return outcome.launch.incomplete.empty() ? "nothing found"
                                             : "nothing found, but " + outcome.launch.incomplete;
  size_t count = outcome.launch.findings.size() + outcome.launch.findingsDropped;
  return llvm::formatv("{0} {1}", count, count == 1 ? "finding" : "findings");
}

std::string describeTimeline(const RunReport &report) {
  const tilecrt::timeline::Summary &found = *report.outcome.timeline;
  std::string text = llvm::join(report.command.timelines, ", ") +
                     llvm::formatv(": {0} warps, {1} spans", found.warps, found.spans).str();
  if (found.droppedMarks == 0)
    return text;
  return text + llvm::formatv("; {0} marks found no room, '--timeline-marks' gives more",
                              found.droppedMarks)
                    .str();
}

std::string printLines(const RunOutcome &outcome) {
  std::string text;
  for (const tilecrt::sim::PrintedLine &line : outcome.launch.printed)
    // The interpreter has no threads.
    text += outcome.interpreted
                ? line.text + "\n"
                : llvm::formatv("[{0}] {1}\n", describeThread(line.thread), line.text).str();
  if (outcome.launch.printedDropped != 0)
    text += llvm::formatv("[{0} more lines]\n", outcome.launch.printedDropped);
  return text;
}

/// Elements [begin, end) of an axis that are shown, with a gap in long axes.
constexpr int64_t edge = 4;

void appendAxis(const tilecrt::HostArray &array, size_t axis, uint64_t offset, std::string &text) {
  const std::vector<int64_t> &shape = array.shape();
  if (axis == shape.size()) {
    text += array.elementText(offset);
    return;
  }
  uint64_t stride = 1;
  for (size_t i = axis + 1; i < shape.size(); ++i)
    stride *= uint64_t(shape[i]);
  bool innermost = axis + 1 == shape.size();
  // A row of up to 32 elements is shown whole.
  int64_t shown = innermost && axis == 0 ? 16 : edge;
  std::string separator = innermost ? ", " : ",\n" + std::string(axis + 1, ' ');
  text += "[";
  for (int64_t i = 0; i < shape[axis]; ++i) {
    if (i != 0)
      text += separator;
    if (shape[axis] > 2 * shown && i == shown) {
      text += "...";
      i = shape[axis] - shown - 1;
      continue;
    }
    appendAxis(array, axis + 1, offset + uint64_t(i) * stride, text);
  }
  text += "]";
}

/// JSON has no infinities and NaNs.
llvm::json::Value jsonNumber(double value) {
  if (std::isfinite(value))
    return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

llvm::json::Object threadToJson(const tilecrt::sim::ThreadRef &thread) {
  return llvm::json::Object{{"cta", llvm::json::Array{thread.cta[0], thread.cta[1], thread.cta[2]}},
                            {"thread", thread.thread}};
}

llvm::json::Array findingsToJson(const RunOutcome &outcome) {
  llvm::json::Array list;
  for (const tilecrt::sim::Finding &finding : outcome.launch.findings) {
    llvm::json::Object object{{"kind", tilecrt::sim::findingKindName(finding.kind)},
                              {"message", finding.message},
                              {"count", int64_t(finding.count)},
                              {"at", threadToJson(finding.thread)},
                              {"access", describeAccess(finding.access)}};
    auto addPlace = [&](const char *name, int32_t site) {
      if (site < 0 || size_t(site) >= outcome.sites.size())
        return;
      const tilecrt::sim::Site &place = outcome.sites[size_t(site)];
      object[name] =
          llvm::json::Object{{"file", place.file}, {"line", place.line}, {"column", place.col}};
    };
    addPlace("place", finding.site);
    addPlace("otherPlace", finding.otherSite);
    if (finding.hasOther) {
      object["other"] = threadToJson(finding.otherThread);
      object["otherAccess"] = describeAccess(finding.otherAccess);
    }
    list.push_back(std::move(object));
  }
  return list;
}

llvm::json::Array expectationsToJson(const std::vector<ExpectationResult> &expectations) {
  llvm::json::Array list;
  for (const auto &[name, comparison] : expectations)
    list.push_back(llvm::json::Object{{"name", name},
                                      {"matches", comparison.matches()},
                                      {"count", int64_t(comparison.count)},
                                      {"mismatches", int64_t(comparison.mismatches)},
                                      {"maxAbsError", jsonNumber(comparison.maxAbsError)},
                                      {"maxRelError", jsonNumber(comparison.maxRelError)},
                                      {"relativeL2", jsonNumber(comparison.relativeL2)},
                                      {"text", comparison.describe()}});
  return list;
}

/// The arrays named by --print, with their elements as far as they are few.
llvm::json::Array arraysToJson(const RunReport &report) {
  constexpr uint64_t most = 4096;
  llvm::json::Array list;
  for (const RunArray &array : report.plan.arrays) {
    if (!llvm::is_contained(report.command.print, array.name))
      continue;
    llvm::json::Array values;
    for (uint64_t i = 0; i < std::min(array.data.size(), most); ++i)
      values.push_back(jsonNumber(array.data.at(i)));
    list.push_back(llvm::json::Object{{"name", array.name},
                                      {"dtype", tilecrt::dtypeName(array.data.dtype())},
                                      {"shape", llvm::json::Array(array.data.shape())},
                                      {"size", int64_t(array.data.size())},
                                      {"values", std::move(values)}});
  }
  return list;
}

llvm::json::Array waitsToJson(const tilecrt::timeline::Summary &found) {
  llvm::json::Array roles;
  for (const tilecrt::timeline::RoleWaits &role : found.waits) {
    llvm::json::Object shares;
    for (const auto &[kind, share] : role.shares)
      shares[kind] = share;
    roles.push_back(llvm::json::Object{{"role", role.role}, {"shares", std::move(shares)}});
  }
  return roles;
}

void addSimulation(const RunOutcome &outcome, const RunCommand &command,
                   llvm::json::Object &object) {
  object["checked"] = outcome.checked;
  object["findings"] = findingsToJson(outcome);
  if (!outcome.launch.incomplete.empty())
    object["checkIncomplete"] = outcome.launch.incomplete;
  llvm::json::Array printed;
  for (const tilecrt::sim::PrintedLine &line : outcome.launch.printed) {
    llvm::json::Object entry = threadToJson(line.thread);
    entry["text"] = line.text;
    printed.push_back(std::move(entry));
  }
  object["printed"] = std::move(printed);
  if (command.counters)
    object["counters"] = countersToJson(outcome);
}

} // namespace

std::string printArray(const RunArray &array) {
  std::string text = array.name + ": " + array.data.describe() + " =";
  text += array.data.shape().size() > 1 ? "\n" : " ";
  appendAxis(array.data, 0, 0, text);
  return text + "\n";
}

std::string printReport(const RunReport &report) {
  const RunOutcome &outcome = report.outcome;
  std::string text;
  if (outcome.simulated || outcome.interpreted)
    text += printLines(outcome);
  auto line = [&](llvm::StringRef name, llvm::StringRef value) {
    text += llvm::formatv("{0,-9}{1}\n", name, value);
  };
  line("kernel", describeKernel(report.metadata));
  line("device", outcome.device);
  line("grid", llvm::formatv("{0} x {1} x {2}", report.plan.grid[0], report.plan.grid[1],
                             report.plan.grid[2])
                   .str());
  line("time", describeTime(report));
  if (outcome.simulated)
    line("checks", describeChecks(outcome));
  if (outcome.timeline)
    line("timeline", describeTimeline(report));
  if (outcome.timeline)
    for (const std::string &waits : tilecrt::timeline::describeWaits(*outcome.timeline))
      line("", waits);
  for (const auto &[name, comparison] : report.expectations)
    line("expect", name + ": " + comparison.describe());
  if (report.command.counters)
    text += "counters\n" + printCounters(outcome, report.sources);
  for (const RunArray &array : report.plan.arrays)
    if (llvm::is_contained(report.command.print, array.name))
      text += printArray(array);
  return text;
}

std::string printReportAsJson(const RunReport &report) {
  const RunOutcome &outcome = report.outcome;
  const tilecrt::KernelMetadata &metadata = report.metadata;
  llvm::json::Object object{
      {"kernel", metadata.name},
      {"target", metadata.target},
      {"device", outcome.device},
      {"simulated", outcome.simulated},
      {"grid", llvm::json::Array{report.plan.grid[0], report.plan.grid[1], report.plan.grid[2]}},
      {"numWarps", metadata.numWarps},
      {"sharedBytes", metadata.dynamicSharedBytes + metadata.staticSharedBytes},
      {"registers", metadata.registers},
      {"spillBytes", metadata.spillBytes},
      {"seed", int64_t(report.command.seed)},
      {"timeUs", llvm::json::Object{{"median", outcome.time.median},
                                    {"min", outcome.time.min},
                                    {"mean", outcome.time.mean},
                                    {"repeats", outcome.time.repeats}}},
      {"argumentBytes", int64_t(report.plan.argumentBytes())},
      {"expect", expectationsToJson(report.expectations)},
      {"arrays", arraysToJson(report)},
      {"ok", !isFailure(report)}};
  if (outcome.timeline)
    object["timeline"] = llvm::json::Object{{"files", llvm::json::Array(report.command.timelines)},
                                            {"warps", outcome.timeline->warps},
                                            {"spans", outcome.timeline->spans},
                                            {"droppedMarks", outcome.timeline->droppedMarks},
                                            {"waits", waitsToJson(*outcome.timeline)}};
  if (outcome.simulated)
    addSimulation(outcome, report.command, object);
  else
    object["bytesPerSecond"] = bandwidth(report);
  return llvm::formatv("{0:2}\n", llvm::json::Value(std::move(object)));
}

} // namespace tilec::tool
