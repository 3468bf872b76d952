// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How often a warp waits for loads of global memory, read from the code of a GPU: what is loaded
// before the first of the results is needed is waited for at once.

#ifndef TILEC_LIB_EXPLAIN_LOADROUNDS_H
#define TILEC_LIB_EXPLAIN_LOADROUNDS_H

#include "tilec/Explain/Report.h"

#include <map>

namespace tilec::explain {

/// Loads of global memory of one line.
struct LineLoads {
  /// Bytes of a thread, with those that are masked off.
  double bytesPerThread = 0;
  /// The part of them that the first cache does not have, and of these the part that the second
  /// one does not have.
  double missing = 1, missingTwice = 1;
};

/// Waits of a thread, in latencies of global memory, of which an instruction takes a part; nothing
/// where the report has no code, or where that has none of these loads. Lines by name of the file
/// and number.
std::optional<double> findLoadRounds(const Report &report,
                                     const std::map<std::pair<std::string, int>, LineLoads> &loads,
                                     double ofInstruction);

} // namespace tilec::explain

#endif // TILEC_LIB_EXPLAIN_LOADROUNDS_H
