// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A report, or measurements, as a page for a browser: one HTML file that loads nothing. Skeleton,
// style and scripts are those of lib/Explain/Page; the scripts draw from JSON, which is in the
// page.

#ifndef TILEC_EXPLAIN_PAGE_H
#define TILEC_EXPLAIN_PAGE_H

#include "tilec/Explain/Measurements.h"
#include "tilec/Explain/Report.h"

namespace tilec::explain {

/// The report as HTML. Precondition: it has a GPU.
std::string writePage(const Report &report);

/// Measurements as HTML. `tool` is the command that they come from: "bench", "tune".
std::string writePage(const Measurements &measurements, llvm::StringRef tool);

} // namespace tilec::explain

#endif // TILEC_EXPLAIN_PAGE_H
