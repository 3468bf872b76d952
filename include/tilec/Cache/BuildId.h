// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which compiler this is, exactly: two builds that may make different code have different ids.

#ifndef TILEC_CACHE_BUILDID_H
#define TILEC_CACHE_BUILDID_H

#include <string>

namespace tilec {

/// The version, a hash of the compiler's sources, and the linker's build ids of the shared LLVM and
/// MLIR it uses; an object without a build id counts by its size and time. The same in the program
/// and the library of one build.
const std::string &compilerBuildId();

} // namespace tilec

#endif // TILEC_CACHE_BUILDID_H
