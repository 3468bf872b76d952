// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A report as a page for a browser: one HTML file that loads nothing. Skeleton, style and scripts
// are those of lib/Explain/Page; the scripts draw from the report's JSON, which is in the page.

#ifndef TILEC_EXPLAIN_PAGE_H
#define TILEC_EXPLAIN_PAGE_H

#include "tilec/Explain/Report.h"

namespace tilec::explain {

/// The report as HTML. Precondition: it has a GPU.
std::string writePage(const Report &report);

} // namespace tilec::explain

#endif // TILEC_EXPLAIN_PAGE_H
