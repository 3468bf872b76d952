// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A bundle as C source, with a typed launch function for each kernel and a loader that needs the
// CUDA driver at run time, and nothing at build time.

#ifndef TILEC_BUNDLE_CSOURCE_H
#define TILEC_BUNDLE_CSOURCE_H

#include "tilec/Bundle/Bundle.h"

namespace tilec {

struct CSource {
  std::string header, source;
};

/// The files NAME.h and NAME.c, with the code for GPUs. Deterministic. Fails where a kernel has
/// none, or cannot be called from C.
tilecrt::Result<CSource> writeCSource(const Bundle &bundle);

/// Whether a text is a C identifier that is no keyword of C or C++.
bool isCIdentifier(const std::string &text);

} // namespace tilec

#endif // TILEC_BUNDLE_CSOURCE_H
