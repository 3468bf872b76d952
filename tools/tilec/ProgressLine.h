// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far a long command is, on a terminal.

#ifndef TILEC_TOOLS_TILEC_PROGRESSLINE_H
#define TILEC_TOOLS_TILEC_PROGRESSLINE_H

#include <chrono>
#include <string>

namespace tilec::tool {

/// "tuning add [####....] 12/24, 3 s left, best 81.20 us" on a terminal; otherwise nothing.
class ProgressLine {
public:
  explicit ProgressLine(std::string what);
  ~ProgressLine();
  /// `best` describes the best so far.
  void show(size_t done, size_t total, const std::string &best);

private:
  std::string title;
  bool shown;
  std::chrono::steady_clock::time_point start;
};

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_PROGRESSLINE_H
