// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table's columns are the kernel, whatever has several values, and the measurement.

#include "BenchReport.h"

#include "CounterTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

namespace tilec::tool {

double BenchRow::gigabytesPerSecond() const {
  return timing.median > 0 ? double(movedBytes) / (timing.median * 1e3) : 0;
}

std::optional<double> BenchRow::teraflopsPerSecond() const {
  if (!flops || timing.median <= 0)
    return std::nullopt;
  return double(*flops) / (timing.median * 1e6);
}

namespace {

using Cells = std::vector<std::string>;

bool isSimulated(const BenchReport &report) {
  return report.command.run.device == DeviceKind::Simulator;
}

std::string fixed(double value, int digits) {
  return digits == 2 ? llvm::formatv("{0:F2}", value).str() : llvm::formatv("{0:F1}", value).str();
}

/// Constants with several values are columns of their own.
std::vector<std::string> variedConstants(const BenchCommand &command) {
  std::vector<std::string> names;
  for (const auto &[name, values] : command.constants)
    if (values.size() > 1 || (!command.sweeps.empty() && llvm::StringRef(values[0]).contains('{')))
      names.push_back(name);
  return names;
}

Cells headOf(const BenchReport &report) {
  Cells cells = {"kernel"};
  for (const auto &[name, values] : report.command.sweeps)
    cells.push_back(name);
  for (const std::string &name : variedConstants(report.command))
    cells.push_back(name);
  cells.push_back("warps");
  if (report.command.numStages.size() > 1)
    cells.push_back("stages");
  if (report.command.numCtas.size() > 1)
    cells.push_back("ctas");
  if (report.command.splitK.size() > 1)
    cells.push_back("split");
  Cells measured = isSimulated(report)
                       ? Cells{"grid",     "requests",   "sectors",   "/request", "/minimum",
                               "shared B", "wavefronts", "conflicts", "checks"}
                       : Cells{"grid",   "regs",   "spill B", "shared B", "median us",
                               "min us", "p95 us", "bytes",   "GB/s"};
  if (!isSimulated(report) && !report.command.run.flops.empty())
    measured.push_back("TFLOP/s");
  if (report.command.predictedGpu)
    measured.push_back("predicted us");
  cells.insert(cells.end(), measured.begin(), measured.end());
  return cells;
}

/// What a row is, without what was measured.
Cells labelOf(const BenchRow &row, const BenchCommand &command) {
  Cells cells = {row.kernel};
  for (const auto &[name, size] : row.sizes)
    cells.push_back(std::to_string(size));
  for (const std::string &name : variedConstants(command))
    for (const auto &[constant, value] : row.constants)
      if (constant == name)
        cells.push_back(value);
  std::optional<int> warps = row.numWarps;
  if (!warps && row.isMeasured())
    warps = int(row.metadata.numWarps);
  cells.push_back(warps ? std::to_string(*warps) : "-");
  if (command.numStages.size() > 1)
    cells.push_back(std::to_string(row.numStages.value_or(0)));
  if (command.numCtas.size() > 1)
    cells.push_back(std::to_string(row.numCtas.value_or(1)));
  if (command.splitK.size() > 1)
    cells.push_back(std::to_string(row.splitK.value_or(1)));
  return cells;
}

std::string gridText(const BenchRow &row) {
  std::string text = std::to_string(row.grid[0]);
  if (row.grid[1] != 1 || row.grid[2] != 1)
    text += "x" + std::to_string(row.grid[1]);
  if (row.grid[2] != 1)
    text += "x" + std::to_string(row.grid[2]);
  return text;
}

uint64_t sharedBytes(const BenchRow &row) {
  return uint64_t(row.metadata.dynamicSharedBytes) + row.metadata.staticSharedBytes;
}

/// What ptxas said; '-' where the driver assembled.
std::string known(int32_t value) { return value < 0 ? "-" : std::to_string(value); }

Cells timesOf(const BenchRow &row) {
  return {gridText(row),
          known(row.metadata.registers),
          known(row.metadata.spillBytes),
          std::to_string(sharedBytes(row)),
          fixed(row.timing.median, 2),
          fixed(row.timing.min, 2),
          fixed(row.timing.p95, 2),
          std::to_string(row.movedBytes),
          fixed(row.gigabytesPerSecond(), 1)};
}

/// Sums over loads and stores of a simulated launch.
struct Traffic {
  explicit Traffic(const tilecrt::sim::Counters &c)
      : requests(c.globalLoadRequests + c.globalStoreRequests),
        sectors(c.globalLoadSectors + c.globalStoreSectors),
        wavefronts(c.sharedLoadWavefronts + c.sharedStoreWavefronts),
        conflicts(wavefronts - c.sharedLoadIdealWavefronts - c.sharedStoreIdealWavefronts) {}

  uint64_t requests, sectors, wavefronts, conflicts;
};

/// Sectors touched over those that the moved bytes fill; nothing without bytes.
std::optional<double> overMinimum(const BenchRow &row) {
  constexpr double sectorBytes = 32;
  if (row.movedBytes == 0)
    return std::nullopt;
  return double(Traffic(row.simulation.launch.totals).sectors) * sectorBytes /
         double(row.movedBytes);
}

std::string countFindings(const RunOutcome &outcome) {
  if (!outcome.checked)
    return "off";
  size_t findings = outcome.launch.findings.size() + outcome.launch.findingsDropped;
  return findings == 0 ? "ok" : std::to_string(findings);
}

Cells countsOf(const BenchRow &row) {
  Traffic traffic(row.simulation.launch.totals);
  std::optional<double> ratio = overMinimum(row);
  return {gridText(row),
          std::to_string(traffic.requests),
          std::to_string(traffic.sectors),
          traffic.requests == 0 ? "-"
                                : fixed(double(traffic.sectors) / double(traffic.requests), 2),
          ratio ? fixed(*ratio, 2) : "-",
          std::to_string(sharedBytes(row)),
          std::to_string(traffic.wavefronts),
          std::to_string(traffic.conflicts),
          countFindings(row.simulation)};
}

/// Columns as wide as their widest cell, two spaces apart; the first one is aligned to the left.
std::string alignColumns(const std::vector<Cells> &lines) {
  std::vector<size_t> widths;
  for (const Cells &cells : lines)
    for (size_t i = 0; i < cells.size(); ++i) {
      widths.resize(std::max(widths.size(), i + 1));
      widths[i] = std::max(widths[i], cells[i].size());
    }
  std::string text;
  for (const Cells &cells : lines) {
    for (size_t i = 0; i < cells.size(); ++i) {
      std::string pad(widths[i] - cells[i].size(), ' ');
      text += (i == 0 ? "" : "  ") + (i == 0 ? cells[i] + pad : pad + cells[i]);
    }
    while (text.back() == ' ')
      text.pop_back();
    text += "\n";
  }
  return text;
}

/// The combination with the smallest median at one point of the sweep, when there is a choice.
std::string describeBest(const BenchReport &report, const SweptSizes &sizes) {
  const BenchRow *best = nullptr;
  size_t measured = 0;
  for (const BenchRow &row : report.rows) {
    if (!row.isMeasured() || row.sizes != sizes)
      continue;
    ++measured;
    if (!best || row.timing.median < best->timing.median)
      best = &row;
  }
  if (measured < 2 || isSimulated(report))
    return "";
  std::string text = "best    " + best->kernel;
  for (const auto &[name, size] : sizes)
    text += " " + name + "=" + std::to_string(size);
  for (const std::string &name : variedConstants(report.command))
    for (const auto &[constant, value] : best->constants)
      if (constant == name)
        text += " " + constant + "=" + value;
  text += " num_warps=" + std::to_string(best->metadata.numWarps);
  if (report.command.numStages.size() > 1)
    text += " num_stages=" + std::to_string(best->numStages.value_or(0));
  if (report.command.numCtas.size() > 1)
    text += " num_ctas=" + std::to_string(best->numCtas.value_or(1));
  if (report.command.splitK.size() > 1)
    text += " split_k=" + std::to_string(best->splitK.value_or(1));
  return text + llvm::formatv(": {0:F2} us, {1:F1} GB/s\n", best->timing.median,
                              best->gigabytesPerSecond())
                    .str();
}

void addTimes(const BenchRow &row, llvm::json::Object &object) {
  object["medianUs"] = row.timing.median;
  object["minUs"] = row.timing.min;
  object["meanUs"] = row.timing.mean;
  object["p95Us"] = row.timing.p95;
  object["gigabytesPerSecond"] = row.gigabytesPerSecond();
  if (std::optional<double> rate = row.teraflopsPerSecond())
    object["teraflopsPerSecond"] = *rate;
  object["samplesUs"] = llvm::json::Array(row.timing.samples);
}

void addCounts(const BenchRow &row, llvm::json::Object &object) {
  object["counters"] = totalsToJson(row.simulation);
  object["bankConflicts"] = int64_t(Traffic(row.simulation.launch.totals).conflicts);
  if (std::optional<double> ratio = overMinimum(row))
    object["sectorsOverMinimum"] = *ratio;
  object["checked"] = row.simulation.checked;
  object["findings"] = int64_t(row.simulation.launch.findings.size());
}

llvm::json::Object rowToJson(const BenchRow &row, bool simulated) {
  llvm::json::Object constants;
  for (const auto &[name, value] : row.constants)
    constants[name] = value;
  llvm::json::Object object{{"kernel", row.kernel}, {"constants", std::move(constants)}};
  if (!row.sizes.empty()) {
    llvm::json::Object sizes;
    for (const auto &[name, size] : row.sizes)
      sizes[name] = size;
    object["sizes"] = std::move(sizes);
  }
  if (row.numWarps)
    object["numWarps"] = *row.numWarps;
  if (row.numStages)
    object["numStages"] = *row.numStages;
  if (row.numCtas)
    object["numCtas"] = *row.numCtas;
  if (row.splitK)
    object["splitK"] = *row.splitK;
  if (!row.isMeasured()) {
    object["error"] = row.failure + (row.message.empty() ? "" : ": " + row.message);
    return object;
  }
  object["numWarps"] = row.metadata.numWarps;
  object["numStages"] = row.metadata.numStages;
  object["numCtas"] = row.metadata.clusterX / row.metadata.splitK;
  object["splitK"] = row.metadata.splitK;
  object["target"] = row.metadata.target;
  object["registers"] = row.metadata.registers;
  object["spillBytes"] = row.metadata.spillBytes;
  object["sharedBytes"] = int64_t(sharedBytes(row));
  object["grid"] = llvm::json::Array{row.grid[0], row.grid[1], row.grid[2]};
  object["bytes"] = int64_t(row.movedBytes);
  if (row.flops)
    object["flops"] = int64_t(*row.flops);
  if (row.predicted)
    object["predictedUs"] = *row.predicted;
  if (simulated)
    addCounts(row, object);
  else
    addTimes(row, object);
  return object;
}

} // namespace

std::string printReport(const BenchReport &report) {
  const BenchCommand &command = report.command;
  std::string text = "device  " + report.device + "\n";
  if (!isSimulated(report))
    text += llvm::formatv("times   {0} launches after {1} to warm up, {2}\n", command.repeats,
                          command.warmup, command.flushL2 ? "L2 flushed" : "L2 not flushed")
                .str();
  std::vector<Cells> lines = {headOf(report)};
  for (const BenchRow &row : report.rows) {
    Cells cells = labelOf(row, command);
    Cells measured =
        row.isMeasured() ? (isSimulated(report) ? countsOf(row) : timesOf(row)) : Cells{"failed"};
    if (row.isMeasured() && !isSimulated(report) && row.flops)
      measured.push_back(fixed(row.teraflopsPerSecond().value_or(0), 1));
    if (row.isMeasured() && command.predictedGpu)
      measured.push_back(row.predicted ? fixed(*row.predicted, 2) : "-");
    cells.insert(cells.end(), measured.begin(), measured.end());
    lines.push_back(std::move(cells));
  }
  text += alignColumns(lines);
  std::vector<SweptSizes> points;
  for (const BenchRow &row : report.rows)
    if (!llvm::is_contained(points, row.sizes)) {
      points.push_back(row.sizes);
      text += describeBest(report, row.sizes);
    }
  return text;
}

std::string printReportAsJson(const BenchReport &report) {
  const BenchCommand &command = report.command;
  llvm::json::Array rows;
  for (const BenchRow &row : report.rows)
    rows.push_back(rowToJson(row, isSimulated(report)));
  llvm::json::Object object{{"device", report.device},
                            {"simulated", isSimulated(report)},
                            {"seed", int64_t(command.run.seed)},
                            {"rows", std::move(rows)}};
  if (command.predictedGpu)
    object["predictedFor"] = command.predictedGpu->name;
  if (!isSimulated(report)) {
    object["repeats"] = command.repeats;
    object["warmup"] = command.warmup;
    object["flushL2"] = command.flushL2;
  }
  return llvm::formatv("{0:2}\n", llvm::json::Value(std::move(object)));
}

} // namespace tilec::tool
