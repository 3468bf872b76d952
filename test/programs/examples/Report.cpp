// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fixed columns; what does not fit pushes the rest of its row aside.

#include "Report.h"

#include <cstdio>
#include <nlohmann/json.hpp>

namespace tilec::harness {

template <typename... Args> static std::string format(const char *pattern, Args... args) {
  char buffer[512];
  std::snprintf(buffer, sizeof(buffer), pattern, args...);
  return buffer;
}

std::string renderHead() {
  return format("%-24s %-5s %-13s %-7s %10s %10s %12s %8s  %s\n", "kernel", "dtype", "size",
                "device", "rel error", "max error", "time", "GB/s", "status");
}

static std::string renderTime(double microseconds) {
  return microseconds < 1000 ? format("%.1f us", microseconds)
                             : format("%.2f ms", microseconds / 1000);
}

std::string renderRow(const ReportRow &row) {
  std::string bandwidth =
      row.gigabytesPerSecond > 0 ? format("%.0f", row.gigabytesPerSecond) : std::string("-");
  std::string text =
      format("%-24s %-5s %-13s %-7s %10.2e %10.2e %12s %8s  %s\n", row.what->kernel.c_str(),
             tilecrt::dtypeName(row.what->type), row.what->size.c_str(), row.device.c_str(),
             row.verdict.relativeL2, row.verdict.maxAbsError, renderTime(row.microseconds).c_str(),
             bandwidth.c_str(), row.verdict.passed ? "ok" : "FAILED");
  if (!row.verdict.passed)
    text += "    " + row.verdict.reason + "\n";
  for (const std::string &detail : row.details)
    text += "    " + detail + "\n";
  return text;
}

std::string renderJson(const std::vector<ReportRow> &rows, const std::string &deviceText,
                       uint64_t seed) {
  nlohmann::ordered_json document;
  document["device"] = deviceText;
  document["seed"] = seed;
  document["results"] = nlohmann::ordered_json::array();
  for (const ReportRow &row : rows) {
    nlohmann::ordered_json entry;
    entry["kernel"] = row.what->kernel;
    entry["dtype"] = tilecrt::dtypeName(row.what->type);
    entry["size"] = row.what->size;
    entry["device"] = row.device;
    entry["relativeError"] = row.verdict.relativeL2;
    entry["maxAbsError"] = row.verdict.maxAbsError;
    entry["toleranceUsed"] = row.verdict.toleranceUsed;
    entry["microseconds"] = row.microseconds;
    if (row.gigabytesPerSecond > 0)
      entry["gigabytesPerSecond"] = row.gigabytesPerSecond;
    entry["passed"] = row.verdict.passed;
    if (!row.verdict.passed)
      entry["reason"] = row.verdict.reason;
    if (!row.details.empty())
      entry["details"] = row.details;
    document["results"].push_back(std::move(entry));
  }
  return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

} // namespace tilec::harness
