// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// write, fsync, close and rename, each checked: a full disk may show at any of the first three.

#include "tilecrt/data/AtomicFile.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tilecrt {

namespace {

Status systemError(const char *verb, const std::string &path, int error) {
  return ioError(std::string("cannot ") + verb + " '" + path +
                 "': " + std::generic_category().message(error));
}

/// Writes all chunks to an open file; 0 or the system's error number.
int writeChunks(int file, const std::vector<FileChunk> &chunks) {
  for (const FileChunk &chunk : chunks) {
    const char *next = static_cast<const char *>(chunk.data);
    size_t left = chunk.size;
    while (left != 0) {
      // Some systems refuse requests of 2 GiB and more.
      ssize_t written = ::write(file, next, std::min<size_t>(left, size_t(1) << 30));
      if (written < 0 && errno == EINTR)
        continue;
      if (written < 0)
        return errno;
      if (written == 0)
        return ENOSPC;
      next += written;
      left -= size_t(written);
    }
  }
  return 0;
}

/// Writes and closes; 0 or the first error.
int writeAndClose(int file, const std::vector<FileChunk> &chunks, bool sync) {
  int error = writeChunks(file, chunks);
  if (error == 0 && sync && ::fsync(file) != 0)
    error = errno;
  if (::close(file) != 0 && error == 0)
    error = errno;
  return error;
}

Status writeDirectly(const std::string &path, const std::vector<FileChunk> &chunks) {
  int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0)
    return systemError("open", path, errno);
  if (int error = writeAndClose(file, chunks, false))
    return systemError("write", path, error);
  return Status();
}

/// A name that no other thread or process uses now.
std::string temporaryName(const std::string &target) {
  static std::atomic<unsigned> counter{0};
  return target + ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(counter++);
}

} // namespace

Status writeFileAtomically(const std::string &path, const std::vector<FileChunk> &chunks,
                           bool isDurable) {
  struct stat info;
  bool exists = ::stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode))
    return systemError("write", path, EISDIR);
  if (exists && !S_ISREG(info.st_mode))
    return writeDirectly(path, chunks);

  // Through a symbolic link, so that the link survives.
  std::string target = path;
  if (exists) {
    std::error_code ignored;
    std::filesystem::path real = std::filesystem::canonical(path, ignored);
    if (!ignored)
      target = real.string();
  }
  std::string temporary = temporaryName(target);
  int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0)
    return systemError("create", path, errno);
  if (int error = writeAndClose(file, chunks, isDurable)) {
    ::unlink(temporary.c_str());
    return systemError("write", path, error);
  }
  if (::rename(temporary.c_str(), target.c_str()) != 0) {
    int error = errno;
    ::unlink(temporary.c_str());
    return systemError("replace", path, error);
  }
  return Status();
}

} // namespace tilecrt
