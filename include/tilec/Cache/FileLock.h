// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks among processes and threads: one byte of one file for each lock, taken with open file
// description locks. The kernel gives them back when the holder ends, however it ends, and no file
// is left behind for a key.

#ifndef TILEC_CACHE_FILELOCK_H
#define TILEC_CACHE_FILELOCK_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <string>

namespace tilec {

class FileLock {
public:
  FileLock() = default;
  FileLock(FileLock &&other) noexcept;
  FileLock &operator=(FileLock &&other) noexcept;
  ~FileLock();

  /// Waits for byte `offset` of `path`, at most `milliseconds` and as long as `goOn` says. A lock
  /// that is not held means: time is up, `goOn` said no, or locks do not work here.
  static FileLock acquire(const std::string &path, uint64_t offset, unsigned milliseconds,
                          llvm::function_ref<bool()> goOn = nullptr);

  bool isHeld() const { return descriptor >= 0; }

private:
  int descriptor = -1;
};

} // namespace tilec

#endif // TILEC_CACHE_FILELOCK_H
