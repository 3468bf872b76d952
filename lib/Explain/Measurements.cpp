// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Measurements.h.

#include "tilec/Explain/Measurements.h"

#include "ReportJson.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

namespace tilec::explain {

bool MeasuredCase::operator==(const MeasuredCase &other) const {
  return kernel == other.kernel && size == other.size && sizes == other.sizes;
}

size_t Measurements::caseOf(MeasuredCase wanted) {
  auto known = llvm::find(cases, wanted);
  if (known == cases.end()) {
    cases.push_back(std::move(wanted));
    return cases.size() - 1;
  }
  // One file may know what another does not.
  if (!known->bytes)
    known->bytes = wanted.bytes;
  if (!known->flops)
    known->flops = wanted.flops;
  return size_t(known - cases.begin());
}

void Measurements::append(Measurements other) {
  for (MeasuredRow &row : other.rows) {
    row.which = caseOf(other.cases[row.which]);
    row.file += files.size();
    rows.push_back(std::move(row));
  }
  for (MeasuredFile &file : other.files)
    files.push_back(std::move(file));
}

/// Six significant digits.
static Json numberToJson(double value) {
  if (!std::isfinite(value))
    return nullptr;
  if (value == 0 || value == std::floor(value))
    return std::fabs(value) < 1e15 ? Json(int64_t(value)) : Json(value);
  double scale = std::pow(10.0, 5 - std::floor(std::log10(std::fabs(value))));
  return std::round(value * scale) / scale;
}

static Json numberToJson(const std::optional<double> &value) {
  return value ? numberToJson(*value) : Json();
}

template <typename Value>
static Json objectOf(const std::vector<std::pair<std::string, Value>> &list) {
  Json object = Json::object();
  for (const auto &[name, value] : list)
    if constexpr (std::is_same_v<Value, double>)
      object[name] = numberToJson(value);
    else
      object[name] = value;
  return object;
}

std::string writeMeasurements(const Measurements &all) {
  Json files = Json::array(), cases = Json::array(), rows = Json::array();
  for (const MeasuredFile &file : all.files)
    files.push_back({{"name", file.name},
                     {"kind", file.kind},
                     {"device", file.device},
                     {"gpu", file.gpu ? gpuToJson(*file.gpu) : Json()},
                     {"settings", objectOf(file.settings)}});
  for (const MeasuredCase &measured : all.cases)
    cases.push_back({{"kernel", measured.kernel},
                     {"size", measured.size},
                     {"sizes", objectOf(measured.sizes)},
                     {"variant", measured.variant},
                     {"bytes", numberToJson(measured.bytes)},
                     {"flops", numberToJson(measured.flops)}});
  for (const MeasuredRow &row : all.rows) {
    Json samples = Json::array();
    for (double sample : row.samples)
      samples.push_back(numberToJson(sample));
    rows.push_back({{"case", row.which},
                    {"file", row.file},
                    {"provider", row.provider},
                    {"configuration", row.configuration},
                    {"parameters", objectOf(row.parameters)},
                    {"state", row.state},
                    {"reason", row.reason},
                    {"values", objectOf(row.values)},
                    {"samples", std::move(samples)}});
  }
  Json object = {{"version", TILEC_VERSION},
                 {"files", std::move(files)},
                 {"cases", std::move(cases)},
                 {"rows", std::move(rows)}};
  return object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace tilec::explain
