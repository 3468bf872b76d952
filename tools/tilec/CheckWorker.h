// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of 'tilec check' that runs in a child process: the kernels of one file, one after the
// other. What it finds goes to the parent as lines of JSON:
//   {"begin": NAME, "index": I, "line": L}         before a kernel is compiled
//   {"name": NAME, "status": ..., ...}             after it, an entry of the report
//   {"file": {...}}                                the file itself is wrong
//   {"end": true}

#ifndef TILEC_TOOLS_TILEC_CHECKWORKER_H
#define TILEC_TOOLS_TILEC_CHECKWORKER_H

#include "Options.h"
#include "tilec/Support/ChildProcess.h"

namespace tilec::tool {

/// Checks the kernels of a file from number `first` on.
void checkFile(const CheckCommand &command, const std::string &path, size_t first,
               LineChannel &channel);

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_CHECKWORKER_H
