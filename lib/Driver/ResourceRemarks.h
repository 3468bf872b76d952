// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Remarks on spills and on low occupancy by register pressure, from the assembler's report.

#ifndef TILEC_LIB_DRIVER_RESOURCEREMARKS_H
#define TILEC_LIB_DRIVER_RESOURCEREMARKS_H

#include "tilec/Support/Diagnostic.h"
#include "tilec/Target/Cubin.h"

namespace tilec {

/// How a kernel is launched, as far as its registers depend on it.
struct LaunchShape {
  unsigned numWarps = 4;
  /// CTAs that the compiler told the assembler to make room for on a multiprocessor; 0: none.
  unsigned minCtas = 0;
};

/// Reports at `kernel`, the place of the kernel in its source.
void reportResources(const KernelResources &resources, const LaunchShape &launch,
                     SourceRange kernel, DiagnosticEngine &diagnostics);

} // namespace tilec

#endif // TILEC_LIB_DRIVER_RESOURCEREMARKS_H
