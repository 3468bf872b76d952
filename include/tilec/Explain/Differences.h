// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What two reports differ in, the most important first.

#ifndef TILEC_EXPLAIN_DIFFERENCES_H
#define TILEC_EXPLAIN_DIFFERENCES_H

#include "tilec/Explain/Report.h"

namespace tilec::explain {

struct Difference {
  /// "time", "term", "counter", "resource", "code", "line".
  std::string group;
  /// Of a line: its place and text.
  std::string name, unit;
  double here = 0, there = 0;

  double change() const { return there - here; }
};

/// By group, in the order above. Times, instructions of the code and lines by how much they change,
/// counters and resources by how many times; what is the same, or nearly, is not there, and nor is
/// what one of both does not know. Lines are matched by number in one text, else by what they say;
/// they have predicted times, else those of samples, else instructions.
std::vector<Difference> findDifferences(const Report &here, const Report &there);

/// For a terminal.
std::string describeDifferences(const Report &here, const Report &there);

} // namespace tilec::explain

#endif // TILEC_EXPLAIN_DIFFERENCES_H
