// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One line per kernel, so that a change of the file shows which kernels it is about.

#include "GoldenCounters.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace tilec::harness {

const CounterValues *GoldenCounters::find(const std::string &name) const {
  for (const auto &[known, values] : cases)
    if (known == name)
      return &values;
  return nullptr;
}

void GoldenCounters::set(const std::string &name, const CounterValues &values) {
  for (auto &[known, old] : cases)
    if (known == name) {
      old = values;
      return;
    }
  cases.emplace_back(name, values);
}

static Result<CounterValues> readCase(const nlohmann::ordered_json &object) {
  if (!object.is_object())
    return tilecrt::invalidArgument("expected an object of counters");
  CounterValues values;
  for (const auto &[name, value] : object.items()) {
    std::optional<Counter> counter;
    for (size_t i = 0; i < numCounters; ++i)
      if (name == counterInfo(Counter(i)).name)
        counter = Counter(i);
    if (!counter)
      return tilecrt::invalidArgument("there is no counter '" + name + "'");
    if (!value.is_number_integer())
      return tilecrt::invalidArgument("'" + name + "' is no integer");
    values[*counter] = value.get<int64_t>();
  }
  return values;
}

Result<GoldenCounters> readGolden(const std::string &path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  if (!file)
    return tilecrt::ioError("cannot read '" + path + "'");
  nlohmann::ordered_json document =
      nlohmann::ordered_json::parse(text.str(), nullptr, /*allow_exceptions=*/false);
  auto textOf = [&](const char *key) {
    auto found = document.find(key);
    return found != document.end() && found->is_string() ? found->get<std::string>()
                                                         : std::string();
  };
  if (!document.is_object() || textOf("target").empty() || !document.contains("cases") ||
      !document["cases"].is_object())
    return tilecrt::invalidArgument("'" + path + "' is no file of golden counters");
  GoldenCounters golden;
  golden.target = textOf("target");
  golden.ptxas = textOf("ptxas");
  for (const auto &[name, object] : document["cases"].items()) {
    Result<CounterValues> values = readCase(object);
    if (!values)
      return values.status().withContext("'" + path + "', case '" + name + "'");
    golden.cases.emplace_back(name, *values);
  }
  return golden;
}

std::string renderGolden(const GoldenCounters &golden) {
  auto quoted = [](const std::string &text) { return nlohmann::json(text).dump(); };
  std::string text = "{\n  \"target\": " + quoted(golden.target) +
                     ",\n  \"ptxas\": " + quoted(golden.ptxas) + ",\n  \"cases\": {";
  const char *separator = "\n";
  for (const auto &[name, values] : golden.cases) {
    text += separator + ("    " + quoted(name)) + ": {";
    separator = ",\n";
    const char *comma = "";
    for (size_t i = 0; i < numCounters; ++i)
      if (std::optional<int64_t> value = values[Counter(i)]) {
        text += comma + quoted(counterInfo(Counter(i)).name) + ": " + std::to_string(*value);
        comma = ", ";
      }
    text += "}";
  }
  return text + "\n  }\n}\n";
}

bool CounterChange::isWorse() const {
  return counterInfo(counter).higherIsBetter ? now < golden : now > golden;
}

std::vector<CounterChange> compareCounters(const std::string &name, const CounterValues &golden,
                                           const CounterValues &now, bool samePtxas) {
  std::vector<CounterChange> changes;
  for (size_t i = 0; i < numCounters; ++i) {
    auto counter = Counter(i);
    const CounterInfo &info = counterInfo(counter);
    if (!golden[counter] || !now[counter] || (info.isFromPtxas && !samePtxas))
      continue;
    int64_t before = *golden[counter], after = *now[counter];
    double slack =
        std::max(double(info.slack), info.relativeSlack * std::abs(static_cast<double>(before)));
    if (std::abs(static_cast<double>(after - before)) > slack)
      changes.push_back({name, counter, before, after});
  }
  return changes;
}

/// "better (-50.0 %)"; there is no part of 0.
static std::string describeChange(const CounterChange &change) {
  std::string text = change.isWorse() ? "worse" : "better";
  if (change.golden == 0)
    return text;
  double part =
      static_cast<double>(change.now - change.golden) / static_cast<double>(change.golden);
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer), " (%+.1f %%)", 100 * part);
  return text + buffer;
}

std::string renderChanges(const std::vector<CounterChange> &changes) {
  auto row = [](const char *name, const char *counter, const std::string &golden,
                const std::string &now, const std::string &change) {
    char buffer[512];
    std::snprintf(buffer, sizeof(buffer), "%-40s %-20s %10s %10s  %s\n", name, counter,
                  golden.c_str(), now.c_str(), change.c_str());
    return std::string(buffer);
  };
  std::string text = row("kernel", "counter", "golden", "now", "change");
  for (bool worse : {true, false})
    for (const CounterChange &change : changes)
      if (change.isWorse() == worse)
        text +=
            row(change.name.c_str(), counterInfo(change.counter).name,
                std::to_string(change.golden), std::to_string(change.now), describeChange(change));
  return text;
}

} // namespace tilec::harness
