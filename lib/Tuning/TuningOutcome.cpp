// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TuningOutcome.h.

#include "tilec/Tuning/TuningOutcome.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>

namespace json = llvm::json;

namespace tilec {

using State = Candidate::State;

const char *stateName(Candidate::State state) {
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

std::string costText(double cost, const std::string &unit) {
  return unit == "us" ? llvm::formatv("{0:F2} us", cost).str()
                      : llvm::formatv("{0:F0} {1}", cost, unit).str();
}

std::vector<const Candidate *> TuningOutcome::sorted() const {
  std::vector<const Candidate *> list;
  for (const Candidate &candidate : candidates)
    list.push_back(&candidate);
  llvm::sort(list, [](const Candidate *a, const Candidate *b) {
    bool measuredA = a->state == State::Measured, measuredB = b->state == State::Measured;
    return measuredA != measuredB            ? measuredA
           : measuredA && a->cost != b->cost ? a->cost < b->cost
                                             : a->number < b->number;
  });
  return list;
}

const Candidate *TuningOutcome::best() const {
  const Candidate *found = nullptr;
  for (const Candidate &candidate : candidates)
    if (candidate.state == State::Measured && (!found || candidate.cost < found->cost))
      found = &candidate;
  return found;
}

size_t TuningOutcome::count(State state) const {
  return size_t(
      std::count_if(candidates.begin(), candidates.end(),
                    [&](const Candidate &candidate) { return candidate.state == state; }));
}

std::string printOutcome(const TuningOutcome &outcome) {
  std::string text = llvm::formatv("{0} on {1}, {2} configurations: {3} measured, {4} failed, {5} "
                                   "left out, {6:F1} s\n",
                                   outcome.kernel, outcome.device, outcome.candidates.size(),
                                   outcome.count(State::Measured), outcome.count(State::Failed),
                                   outcome.candidates.size() - outcome.count(State::Measured) -
                                       outcome.count(State::Failed),
                                   outcome.seconds);
  for (const Candidate *candidate : outcome.sorted()) {
    std::string first = candidate->state == State::Measured
                            ? costText(candidate->cost, outcome.unit)
                            : stateName(candidate->state);
    text += llvm::formatv("{0,14}  {1}", first, candidate->config.describe()).str();
    if (candidate->state == State::Measured && candidate->metadata.registers >= 0)
      text += llvm::formatv("  [{0} registers, {1} bytes spilled, {2} bytes shared]",
                            candidate->metadata.registers, candidate->metadata.spillBytes,
                            candidate->metadata.dynamicSharedBytes +
                                candidate->metadata.staticSharedBytes)
                  .str();
    if (candidate->predicted && candidate->state == State::Measured)
      text += llvm::formatv("  [{0:F2} us predicted]", *candidate->predicted).str();
    if (!candidate->reason.empty())
      text += ": " + candidate->reason;
    text += "\n";
  }
  if (const Candidate *best = outcome.best())
    text += "best: " + best->config.describe() + ", " + costText(best->cost, outcome.unit) + "\n";
  return text;
}

std::string printOutcomeAsJson(const TuningOutcome &outcome) {
  json::Array list;
  for (const Candidate *candidate : outcome.sorted()) {
    json::Object object{
        {"config", toJson(candidate->config)},
        {"state", stateName(candidate->state)},
        {"grid", json::Array{candidate->grid[0], candidate->grid[1], candidate->grid[2]}}};
    if (candidate->state == State::Measured)
      object["cost"] = candidate->cost;
    if (!candidate->samples.empty() && candidate->state == State::Measured)
      object["samplesUs"] = json::Array(candidate->samples);
    if (candidate->bound)
      object["bound"] = *candidate->bound;
    if (candidate->predicted)
      object["predicted"] = *candidate->predicted;
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
  json::Object object{{"kernel", outcome.kernel},
                      {"device", outcome.device},
                      {"unit", outcome.unit},
                      {"seconds", outcome.seconds},
                      {"candidates", std::move(list)}};
  if (!outcome.predictedFor.empty())
    object["predictedFor"] = outcome.predictedFor;
  if (const Candidate *best = outcome.best())
    object["best"] = toJson(best->config);
  return llvm::formatv("{0:2}\n", json::Value(std::move(object))).str();
}

llvm::Expected<std::optional<TuningConfig>> readBestConfig(const std::string &path,
                                                           llvm::StringRef kernel) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return std::nullopt;
  llvm::Expected<json::Value> value = json::parse((*buffer)->getBuffer());
  if (!value) {
    llvm::consumeError(value.takeError());
    return std::nullopt;
  }
  const json::Object *object = value->getAsObject();
  if (!object || !object->getArray("candidates"))
    return std::nullopt;
  std::string searched = object->getString("kernel").value_or("").str();
  if (searched != kernel)
    return llvm::createStringError("'" + path + "' has a search of kernel '" + searched +
                                   "', not of '" + kernel + "'");
  const json::Value *best = object->get("best");
  if (!best)
    return llvm::createStringError("'" + path + "': no configuration of kernel '" + kernel +
                                   "' could be measured");
  llvm::Expected<TuningConfig> config = configFromJson(*best);
  if (!config)
    return llvm::createStringError("'" + path + "': " + llvm::toString(config.takeError()));
  return std::optional<TuningConfig>(std::move(*config));
}

} // namespace tilec
