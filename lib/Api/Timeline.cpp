// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Timelines of kernels that were compiled with one.

#include "tilecrt/Timeline.h"

#include "DeviceObjects.h"

#include "tilecrt/data/AtomicFile.h"

using namespace tilec;
using namespace tilec::api;
namespace timeline = tilecrt::timeline;

size_t tilec_kernel_timeline_size(const tilec_kernel *kernel) {
  return factOf<Kernels>(kernel, [](KernelObject &object) -> size_t {
    return timeline::wordsOf(object.kernel.metadata.timeline) * sizeof(uint64_t);
  });
}

tilec_status tilec_kernel_write_timeline(const tilec_kernel *kernel, const uint32_t grid[3],
                                         const void *buffer, size_t size, const char *path) {
  return onHandle<Kernels>(kernel, [&](KernelObject &object) {
    if (!grid || !path || (!buffer && size != 0))
      return invalid(!grid ? "grid is null" : !path ? "path is null" : "buffer is null");
    if (size % sizeof(uint64_t) != 0)
      return invalid("the buffer has " + llvm::Twine(size) + " bytes, expected a multiple of 8");
    // The caller's bytes need not be aligned.
    std::vector<uint64_t> words(size / sizeof(uint64_t));
    std::memcpy(words.data(), buffer, size);
    tilecrt::Result<timeline::Timeline> read = timeline::read(
        object.kernel.metadata, {grid[0], grid[1], grid[2]}, words.data(), words.size());
    if (!read)
      return fail(read.status());
    std::string text = llvm::StringRef(path).ends_with(".svg") ? timeline::toSvg(*read)
                                                               : timeline::toTraceEvents(*read);
    tilecrt::Status written = tilecrt::writeFileAtomically(path, {{text.data(), text.size()}});
    return written.ok() ? TILEC_OK : fail(written);
  });
}
