// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a file so that a reader sees the old content or all of the new one: the bytes go to a
// temporary file beside the target, which is synced and renamed over it. A target that is no
// regular file (a pipe, a device) is written directly.

#ifndef TILECRT_DATA_ATOMICFILE_H
#define TILECRT_DATA_ATOMICFILE_H

#include "tilecrt/Result.h"

#include <cstddef>
#include <string>
#include <vector>

namespace tilecrt {

/// A piece of the content; not owned.
struct FileChunk {
  const void *data = nullptr;
  size_t size = 0;
};

/// The content of `path` becomes the chunks one after the other. On failure (ioError, naming the
/// path and the system's reason) a regular target is as it was and no temporary is left behind.
/// A durable file is on its disk when this returns, which takes time.
Status writeFileAtomically(const std::string &path, const std::vector<FileChunk> &chunks,
                           bool isDurable = true);

} // namespace tilecrt

#endif // TILECRT_DATA_ATOMICFILE_H
