// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measurements as tables: the CSV that 'perf_report' of Triton and of tilec.testing saves.

#ifndef TILEC_LIB_EXPLAIN_MEASUREMENTTABLES_H
#define TILEC_LIB_EXPLAIN_MEASUREMENTTABLES_H

#include "tilec/Explain/Measurements.h"

namespace tilec::explain {

/// Adds a table, whose kernel has the name of the file. The first columns are sizes, the others
/// providers with their unit: "N,triton (GB/s),torch (GB/s)". An error names the line.
llvm::Error addTable(Measurements &into, const std::string &name, llvm::StringRef text);

} // namespace tilec::explain

#endif // TILEC_LIB_EXPLAIN_MEASUREMENTTABLES_H
