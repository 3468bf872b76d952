// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TuneReport.h.

#include "TuneReport.h"

#include "Console.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <unistd.h>

namespace json = llvm::json;

namespace tilec::tool {

namespace {

using State = Candidate::State;

const char *stateName(State state) {
  switch (state) {
  case State::Waiting:
    return "waiting";
  case State::Pruned:
    return "pruned";
  case State::Failed:
    return "failed";
  case State::Same:
    return "same";
  case State::Measured:
    return "measured";
  }
  return "";
}

/// Measured ones by their cost, then the others in their order.
std::vector<const Candidate *> sorted(const TuneReport &report) {
  std::vector<const Candidate *> list;
  for (const Candidate &candidate : report.candidates)
    list.push_back(&candidate);
  llvm::sort(list, [](const Candidate *a, const Candidate *b) {
    bool measuredA = a->state == State::Measured, measuredB = b->state == State::Measured;
    return measuredA != measuredB            ? measuredA
           : measuredA && a->cost != b->cost ? a->cost < b->cost
                                             : a->number < b->number;
  });
  return list;
}

std::string costText(double cost, const std::string &unit) {
  return unit == "us" ? llvm::formatv("{0:F2} us", cost).str()
                      : llvm::formatv("{0:F0} {1}", cost, unit).str();
}

} // namespace

const Candidate *TuneReport::best() const {
  const Candidate *found = nullptr;
  for (const Candidate &candidate : candidates)
    if (candidate.state == State::Measured && (!found || candidate.cost < found->cost))
      found = &candidate;
  return found;
}

size_t TuneReport::count(State state) const {
  return size_t(
      std::count_if(candidates.begin(), candidates.end(),
                    [&](const Candidate &candidate) { return candidate.state == state; }));
}

std::string printReport(const TuneReport &report) {
  std::string text = llvm::formatv("{0} on {1}, {2} configurations: {3} measured, {4} failed, {5} "
                                   "left out, {6:F1} s\n",
                                   report.kernel, report.device, report.candidates.size(),
                                   report.count(State::Measured), report.count(State::Failed),
                                   report.candidates.size() - report.count(State::Measured) -
                                       report.count(State::Failed),
                                   report.seconds);
  for (const Candidate *candidate : sorted(report)) {
    std::string first = candidate->state == State::Measured ? costText(candidate->cost, report.unit)
                                                            : stateName(candidate->state);
    text += llvm::formatv("{0,14}  {1}", first, candidate->config.describe()).str();
    if (candidate->state == State::Measured && candidate->metadata.registers >= 0)
      text += llvm::formatv("  [{0} registers, {1} bytes spilled, {2} bytes shared]",
                            candidate->metadata.registers, candidate->metadata.spillBytes,
                            candidate->metadata.dynamicSharedBytes +
                                candidate->metadata.staticSharedBytes)
                  .str();
    if (!candidate->reason.empty())
      text += ": " + candidate->reason;
    text += "\n";
  }
  if (const Candidate *best = report.best())
    text += "best: " + best->config.describe() + ", " + costText(best->cost, report.unit) + "\n";
  return text;
}

std::string printReportAsJson(const TuneReport &report) {
  json::Array list;
  for (const Candidate *candidate : sorted(report)) {
    json::Object object{
        {"config", toJson(candidate->config)},
        {"state", stateName(candidate->state)},
        {"grid", json::Array{candidate->grid[0], candidate->grid[1], candidate->grid[2]}}};
    if (candidate->state == State::Measured)
      object["cost"] = candidate->cost;
    if (candidate->bound)
      object["bound"] = *candidate->bound;
    if (!candidate->reason.empty())
      object["reason"] = candidate->reason;
    if (candidate->metadata.registers >= 0) {
      object["registers"] = candidate->metadata.registers;
      object["spillBytes"] = candidate->metadata.spillBytes;
      object["sharedBytes"] =
          candidate->metadata.dynamicSharedBytes + candidate->metadata.staticSharedBytes;
    }
    list.push_back(std::move(object));
  }
  json::Object object{{"kernel", report.kernel},
                      {"device", report.device},
                      {"unit", report.unit},
                      {"seconds", report.seconds},
                      {"candidates", std::move(list)}};
  if (const Candidate *best = report.best())
    object["best"] = toJson(best->config);
  return llvm::formatv("{0:2}\n", json::Value(std::move(object))).str();
}

ProgressLine::ProgressLine(size_t allSteps, std::string what)
    : total(allSteps), title(std::move(what)), shown(::isatty(STDERR_FILENO) == 1 && allSteps > 0),
      start(std::chrono::steady_clock::now()) {}

ProgressLine::~ProgressLine() {
  if (shown)
    writeToStderr("\r\x1b[K");
}

void ProgressLine::step(const std::string &best) {
  std::lock_guard<std::mutex> lock(mutex);
  done = std::min(done + 1, total);
  if (!shown)
    return;
  constexpr size_t width = 24;
  size_t filled = width * done / total;
  std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  double left = elapsed.count() / double(done) * double(total - done);
  std::string line = llvm::formatv("\r{0} [{1}{2}] {3}/{4}, {5:F0} s left{6}\x1b[K", title,
                                   std::string(filled, '#'), std::string(width - filled, '.'), done,
                                   total, left, best.empty() ? "" : ", best " + best)
                         .str();
  writeToStderr(line);
}

} // namespace tilec::tool
