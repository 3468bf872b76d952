// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of results, for people and as JSON.

#ifndef TILEC_TEST_PROGRAMS_EXAMPLES_REPORT_H
#define TILEC_TEST_PROGRAMS_EXAMPLES_REPORT_H

#include "Cases.h"
#include "KernelDevice.h"

#include <string>
#include <vector>

namespace tilec::harness {

/// One line of the table.
struct ReportRow {
  const Case *what = nullptr;
  std::string device;
  Verdict verdict;
  double microseconds = 0;
  /// 0 when the run was not a measurement.
  double gigabytesPerSecond = 0;
  /// Findings and other text shown below the row.
  std::vector<std::string> details;
};

/// The table's head and one row, each with a newline.
std::string renderHead();
std::string renderRow(const ReportRow &row);

/// {"seed", "device", "results": [...]}, two-space indented.
std::string renderJson(const std::vector<ReportRow> &rows, const std::string &deviceText,
                       uint64_t seed);

} // namespace tilec::harness

#endif // TILEC_TEST_PROGRAMS_EXAMPLES_REPORT_H
