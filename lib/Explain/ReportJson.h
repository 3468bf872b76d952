// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the JSON of reports and of measurements share.

#ifndef TILEC_LIB_EXPLAIN_REPORTJSON_H
#define TILEC_LIB_EXPLAIN_REPORTJSON_H

#include "tilec/Explain/GpuLimits.h"

#include <nlohmann/json.hpp>

namespace tilec::explain {

using Json = nlohmann::ordered_json;

/// Four significant digits; 0 for what is no number.
double rounded(double value);

Json gpuToJson(const GpuLimits &gpu);

} // namespace tilec::explain

#endif // TILEC_LIB_EXPLAIN_REPORTJSON_H
