// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FileLock.h. Waiting is polling with pauses that grow to 20 ms: a blocking fcntl could not be
// given up.

#include "tilec/Cache/FileLock.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <thread>
#include <unistd.h>
#include <utility>

#ifndef F_OFD_SETLK
#define F_OFD_SETLK 37
#endif

namespace tilec {

FileLock::FileLock(FileLock &&other) noexcept : descriptor(std::exchange(other.descriptor, -1)) {}

FileLock &FileLock::operator=(FileLock &&other) noexcept {
  std::swap(descriptor, other.descriptor);
  return *this;
}

FileLock::~FileLock() {
  // Closing the last descriptor of the description releases the lock.
  if (descriptor >= 0)
    ::close(descriptor);
}

FileLock FileLock::acquire(const std::string &path, uint64_t offset, unsigned milliseconds,
                           llvm::function_ref<bool()> goOn) {
  FileLock lock;
  int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0)
    return lock;
  auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  auto pause = std::chrono::microseconds(500);
  while (true) {
    struct flock range = {};
    range.l_type = F_WRLCK;
    range.l_whence = SEEK_SET;
    range.l_start = off_t(offset & ((uint64_t(1) << 62) - 1));
    range.l_len = 1;
    if (::fcntl(descriptor, F_OFD_SETLK, &range) == 0) {
      lock.descriptor = descriptor;
      return lock;
    }
    bool taken = errno == EAGAIN || errno == EACCES;
    if ((!taken && errno != EINTR) || std::chrono::steady_clock::now() >= end || (goOn && !goOn()))
      break;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(20000));
  }
  ::close(descriptor);
  return lock;
}

} // namespace tilec
