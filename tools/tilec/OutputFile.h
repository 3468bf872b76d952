// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Output files. A reader sees all of a file or nothing of it.

#ifndef TILEC_TOOLS_TILEC_OUTPUTFILE_H
#define TILEC_TOOLS_TILEC_OUTPUTFILE_H

#include "ExitCode.h"

#include "llvm/ADT/StringRef.h"

namespace tilec::tool {

/// Writes `content` to a file, or to standard output when `path` is empty or "-". On failure the
/// error is reported and a file that was there is as it was.
ExitCode writeOutput(llvm::StringRef path, llvm::StringRef content);

/// Makes the folder and those above it, if they are not there.
ExitCode makeFolder(llvm::StringRef path);

} // namespace tilec::tool

#endif // TILEC_TOOLS_TILEC_OUTPUTFILE_H
