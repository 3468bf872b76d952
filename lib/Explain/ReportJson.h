// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the JSON of reports and of measurements share.

#ifndef TILEC_LIB_EXPLAIN_REPORTJSON_H
#define TILEC_LIB_EXPLAIN_REPORTJSON_H

#include "tilec/Explain/Report.h"

#include <nlohmann/json.hpp>

namespace tilec::explain {

using Json = nlohmann::ordered_json;

/// Four significant digits; 0 for what is no number.
double rounded(double value);

Json gpuToJson(const GpuLimits &gpu);

/// The instructions of the code by class, and those of a line by the names of the classes, zeros
/// left out; null where they are not known.
Json codeToJson(const Report &report);
Json codeToJson(const Report &report, const SourceLine &line);

/// What differs behind two kernels; null where that was not compared.
Json outputsToJson(const Report &report);

} // namespace tilec::explain

#endif // TILEC_LIB_EXPLAIN_REPORTJSON_H
