// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counters as they were when somebody last looked at them and found them right: a JSON file with
// one line per kernel, and the differences between it and the counters of now.

#ifndef TILEC_TEST_PROGRAMS_EXAMPLES_GOLDENCOUNTERS_H
#define TILEC_TEST_PROGRAMS_EXAMPLES_GOLDENCOUNTERS_H

#include "KernelCounters.h"

namespace tilec::harness {

struct GoldenCounters {
  /// The GPU target of the machine code, and the version of ptxas; empty when there was none.
  std::string target;
  std::string ptxas;
  /// By the name of the case, in the order of the file.
  std::vector<std::pair<std::string, CounterValues>> cases;

  const CounterValues *find(const std::string &name) const;
  /// Replaces a case's counters or adds the case at the end.
  void set(const std::string &name, const CounterValues &values);
};

/// Errors name the file and the case or counter that is not as expected.
Result<GoldenCounters> readGolden(const std::string &path);
std::string renderGolden(const GoldenCounters &golden);

/// A counter that is further from its golden value than its slack allows.
struct CounterChange {
  std::string name;
  Counter counter;
  int64_t golden;
  int64_t now;
  bool isWorse() const;
};

/// The changes of one case. Counters that one side does not know are not compared, and those of
/// ptxas only when `samePtxas`.
std::vector<CounterChange> compareCounters(const std::string &name, const CounterValues &golden,
                                           const CounterValues &now, bool samePtxas);

/// A table with the columns kernel, counter, golden, now, change; the worse ones first.
std::string renderChanges(const std::vector<CounterChange> &changes);

} // namespace tilec::harness

#endif // TILEC_TEST_PROGRAMS_EXAMPLES_GOLDENCOUNTERS_H
