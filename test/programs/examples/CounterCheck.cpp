// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every case is measured with the same seed: some counters depend on the data (indices of gathers
// and atomics).

#include "CounterCheck.h"

#include "GoldenCounters.h"

#include "tilecrt/data/AtomicFile.h"

#include <cstdio>

namespace tilec::harness {

namespace {

constexpr uint64_t counterSeed = 1;
constexpr const char *counterTarget = "sm_90a";

/// The counters of the cases, in their order.
struct Measurement {
  std::vector<std::pair<std::string, CounterValues>> values;
  size_t failed = 0;
};

Measurement measureAll(const std::vector<Case> &cases, const CompilerPlaces &places) {
  CounterMeter meter(places, counterTarget);
  Measurement result;
  for (const Case &example : cases) {
    auto fail = [&](const std::string &why) {
      std::printf("%s: FAILED: %s\n", example.name().c_str(), why.c_str());
      ++result.failed;
    };
    Result<KernelRun> run = example.build(counterSeed);
    if (!run) {
      fail(run.message());
      continue;
    }
    Result<CounterValues> values = meter.measure(*run);
    if (values)
      result.values.emplace_back(example.name(), *values);
    else
      fail(values.message());
  }
  return result;
}

CounterOutcome update(const Measurement &now, const std::string &ptxas, const Options &options) {
  GoldenCounters golden;
  // Of a part of the cases only that part is replaced.
  if (!options.filter.empty())
    if (Result<GoldenCounters> old = readGolden(options.counters))
      golden = std::move(*old);
  if (!golden.cases.empty() && golden.ptxas != ptxas) {
    std::fprintf(stderr,
                 "tilec-examples: '%s' is of ptxas %s, here is %s; update all of it, without "
                 "--filter\n",
                 options.counters.c_str(), golden.ptxas.c_str(), ptxas.c_str());
    return CounterOutcome::Different;
  }
  golden.target = counterTarget;
  golden.ptxas = ptxas;
  for (const auto &[name, values] : now.values)
    golden.set(name, values);
  std::string text = renderGolden(golden);
  Status written = tilecrt::writeFileAtomically(options.counters, {{text.data(), text.size()}});
  if (!written) {
    std::fprintf(stderr, "tilec-examples: %s\n", written.message().c_str());
    return CounterOutcome::Different;
  }
  std::printf("%zu kernels written to %s\n", now.values.size(), options.counters.c_str());
  return CounterOutcome::AsGolden;
}

CounterOutcome compare(const Measurement &now, const GoldenCounters &golden, bool samePtxas,
                       bool isComplete) {
  std::vector<CounterChange> changes;
  size_t strangers = 0;
  for (const auto &[name, values] : now.values) {
    const CounterValues *before = golden.find(name);
    if (!before) {
      std::printf("%s: has no golden counters\n", name.c_str());
      ++strangers;
      continue;
    }
    for (CounterChange &change : compareCounters(name, *before, values, samePtxas))
      changes.push_back(std::move(change));
  }
  for (const auto &[name, values] : golden.cases) {
    bool isThere = !isComplete;
    for (const auto &entry : now.values)
      isThere |= entry.first == name;
    if (isThere)
      continue;
    std::printf("%s: has golden counters, but was not measured\n", name.c_str());
    ++strangers;
  }
  size_t worse = 0;
  for (const CounterChange &change : changes)
    worse += change.isWorse();
  if (!changes.empty())
    std::printf("%s", renderChanges(changes).c_str());
  std::printf("%zu kernels, %zu counters worse, %zu better\n", now.values.size(), worse,
              changes.size() - worse);
  if (changes.empty() && strangers == 0)
    return CounterOutcome::AsGolden;
  std::printf(worse != 0 ? "a change that is meant is taken over by './dev counters --update'\n"
                         : "take the new values over: './dev counters --update'\n");
  return CounterOutcome::Different;
}

} // namespace

bool isRepresentative(const Case &example) {
  return example.scale != Scale::Large && example.type != DType::bf16 && example.size != "1" &&
         example.size != "1x1";
}

bool isCounted(const Case &example) { return isRepresentative(example) && !example.waitsForOthers; }

CounterOutcome checkCounters(const std::vector<Case> &cases, const CompilerPlaces &places,
                             const Options &options) {
  Result<GoldenCounters> golden = GoldenCounters();
  if (!options.update) {
    golden = readGolden(options.counters);
    if (!golden) {
      std::fprintf(stderr, "tilec-examples: %s\n", golden.message().c_str());
      return CounterOutcome::Different;
    }
  }
  Result<std::string> ptxas = ptxasVersionOf(places);
  if (!ptxas && options.update) {
    std::fprintf(stderr, "tilec-examples: %s\n", ptxas.message().c_str());
    return CounterOutcome::Unavailable;
  }
  bool samePtxas = ptxas && *ptxas == golden->ptxas;
  if (!options.update && !samePtxas)
    std::printf("registers and spills are not compared: golden values are of ptxas %s; %s\n",
                golden->ptxas.c_str(),
                ptxas ? ("here is " + *ptxas).c_str() : ptxas.message().c_str());

  Measurement now = measureAll(cases, places);
  if (now.failed != 0) {
    std::printf("%zu of %zu kernels failed\n", now.failed, cases.size());
    return CounterOutcome::Different;
  }
  if (options.update)
    return update(now, *ptxas, options);
  return compare(now, *golden, samePtxas, options.filter.empty());
}

} // namespace tilec::harness
