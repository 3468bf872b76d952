// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See DiskCache.h. No fsync: a rename that outlives its data in a power failure leaves an entry
// whose checksum is wrong, which is removed when it is read.

#include "tilec/Cache/DiskCache.h"

#include "tilec/Cache/FileLock.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using llvm::StringRef;

namespace tilec {

namespace {

/// No entry is longer; a file that is was not written by us.
constexpr uint64_t kMostEntryBytes = uint64_t(1) << 30;
/// The byte of the lock file for the bookkeeping; keys have the bytes below.
constexpr uint64_t kBookkeepingByte = (uint64_t(1) << 62) - 1;
/// Eviction frees this part of the limit, so that it does not run at every store.
constexpr uint64_t kFreedPart = 5;
/// Entries written between two counts of the whole folder.
constexpr uint32_t kStoresBetweenScans = 1000;
constexpr unsigned kStaleSeconds = 3600;

std::string errorText(int error) { return std::strerror(error); }

llvm::Error makeFolder(const std::string &path) {
  if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST)
    return llvm::Error::success();
  return llvm::createStringError("cannot make folder '" + path + "': " + errorText(errno));
}

/// The whole of a regular file; nothing when it cannot be read or is absurdly long.
std::optional<std::string> readFile(const std::string &path) {
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0)
    return std::nullopt;
  struct stat status;
  std::optional<std::string> bytes;
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
      uint64_t(status.st_size) <= kMostEntryBytes) {
    bytes.emplace(size_t(status.st_size), '\0');
    size_t done = 0;
    while (done < bytes->size()) {
      ssize_t count = ::read(descriptor, &(*bytes)[done], bytes->size() - done);
      if (count < 0 && errno == EINTR)
        continue;
      if (count <= 0)
        break;
      done += size_t(count);
    }
    // Shorter than it was: the checksum will tell.
    bytes->resize(done);
  }
  ::close(descriptor);
  return bytes;
}

/// Names in a folder, in the order of the directory.
std::vector<std::string> namesIn(const std::string &path) {
  std::vector<std::string> names;
  DIR *folder = ::opendir(path.c_str());
  if (!folder)
    return names;
  while (const dirent *entry = ::readdir(folder)) {
    StringRef name = entry->d_name;
    if (name != "." && name != "..")
      names.push_back(name.str());
  }
  ::closedir(folder);
  return names;
}

} // namespace

struct DiskCache::File {
  std::string path;
  /// The key's digits.
  std::string name;
  uint64_t bytes = 0;
  timespec used = {};
};

llvm::Expected<std::unique_ptr<DiskCache>> DiskCache::open(StringRef folder, uint64_t limit) {
  if (folder.empty())
    return llvm::createStringError("no folder is given");
  std::unique_ptr<DiskCache> cache(new DiskCache(folder.str(), limit));
  llvm::Error error = llvm::Error::success();
  if (std::error_code code = llvm::sys::fs::create_directories(folder, /*IgnoreExisting=*/true,
                                                               llvm::sys::fs::perms::owner_all))
    error =
        llvm::joinErrors(std::move(error), llvm::createStringError("cannot make folder '" + folder +
                                                                   "': " + code.message()));
  for (const char *below : {"", "/tmp", "/files"})
    if (!error)
      error = makeFolder(cache->root + below);
  if (!error) {
    cache->readOnly = ::access((cache->root + "/tmp").c_str(), W_OK | X_OK) != 0;
    return std::move(cache);
  }
  if (::access(cache->root.c_str(), R_OK | X_OK) != 0)
    return std::move(error);
  llvm::consumeError(std::move(error));
  cache->readOnly = true;
  return std::move(cache);
}

std::string DiskCache::pathOf(const CacheKey &key) const {
  std::string name = key.hex();
  return root + "/" + name.substr(0, 2) + "/" + name.substr(2);
}

bool DiskCache::exists(const CacheKey &key) const {
  return ::access(pathOf(key).c_str(), R_OK) == 0;
}

std::optional<DiskCache::Verified> DiskCache::readVerified(const CacheKey &key) {
  std::string path = pathOf(key);
  std::optional<std::string> bytes = readFile(path);
  if (!bytes)
    return std::nullopt;
  llvm::Expected<CacheEntry> entry = decodeEntry(key, *bytes);
  if (!entry) {
    llvm::consumeError(entry.takeError());
    // Somebody may have put a good one there meanwhile; then it is compiled once more.
    ::unlink(path.c_str());
    return std::nullopt;
  }
  return Verified{std::move(*bytes), std::move(*entry)};
}

std::optional<std::string> DiskCache::loadBytes(const CacheKey &key) {
  std::optional<Verified> found = readVerified(key);
  return found ? std::optional(std::move(found->bytes)) : std::nullopt;
}

std::optional<CacheEntry> DiskCache::load(const CacheKey &key) {
  std::optional<Verified> found = readVerified(key);
  if (!found)
    return std::nullopt;
  ::utimensat(AT_FDCWD, pathOf(key).c_str(), nullptr, 0);
  return std::move(found->entry);
}

llvm::Error DiskCache::writeAtomically(const std::string &path, StringRef bytes) {
  static std::atomic<unsigned> counter = 0;
  timespec now = {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  // Processes of several machines and process name spaces may share the folder.
  std::string temporary = root + "/tmp/" + llvm::itostr(::getpid()) + "-" +
                          llvm::utostr(counter++) + "-" + llvm::itostr(now.tv_sec) + "-" +
                          llvm::itostr(now.tv_nsec);
  int descriptor =
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor < 0)
    return llvm::createStringError("cannot write '" + temporary + "': " + errorText(errno));
  int error = 0;
  for (StringRef rest = bytes; !rest.empty() && error == 0;) {
    ssize_t count = ::write(descriptor, rest.data(), rest.size());
    if (count > 0)
      rest = rest.drop_front(size_t(count));
    else if (errno != EINTR)
      error = count == 0 ? ENOSPC : errno;
  }
  if (::close(descriptor) != 0 && error == 0)
    error = errno;
  if (error == 0 && ::rename(temporary.c_str(), path.c_str()) != 0)
    error = errno;
  if (error == 0)
    return llvm::Error::success();
  ::unlink(temporary.c_str());
  return llvm::createStringError("cannot write '" + path + "': " + errorText(error));
}

llvm::Error DiskCache::store(const CacheKey &key, StringRef bytes) {
  if (bytes.size() > std::min(limit, kMostEntryBytes))
    return llvm::createStringError("an entry of " + llvm::utostr(bytes.size()) +
                                   " bytes is larger than the cache may be");
  std::string path = pathOf(key);
  if (llvm::Error error = makeFolder(path.substr(0, path.rfind('/'))))
    return error;
  if (llvm::Error error = writeAtomically(path, bytes))
    return error;
  account(bytes.size());
  return llvm::Error::success();
}

FileLock DiskCache::lock(const CacheKey &key, unsigned milliseconds,
                         llvm::function_ref<bool()> goOn) const {
  uint64_t offset = llvm::support::endian::read64le(key.bytes.data()) % kBookkeepingByte;
  return FileLock::acquire(root + "/lock", offset, milliseconds, goOn);
}

//===--------------------------------------------------------------------===//
// Notes
//===--------------------------------------------------------------------===//

std::optional<std::string> DiskCache::loadNote(const CacheKey &key) const {
  std::optional<std::string> bytes = readFile(root + "/files/" + key.hex());
  if (!bytes)
    return std::nullopt;
  llvm::Expected<CacheEntry> entry = decodeEntry(key, *bytes);
  if (!entry) {
    llvm::consumeError(entry.takeError());
    return std::nullopt;
  }
  const std::string *text = entry->find("text");
  return text ? std::optional<std::string>(*text) : std::nullopt;
}

void DiskCache::storeNote(const CacheKey &key, StringRef text) {
  if (readOnly)
    return;
  CacheEntry entry;
  entry.add("text", text);
  // It is computed again when it cannot be kept.
  llvm::consumeError(writeAtomically(root + "/files/" + key.hex(), encodeEntry(key, entry)));
}

//===--------------------------------------------------------------------===//
// Bookkeeping
//===--------------------------------------------------------------------===//

std::vector<DiskCache::File> DiskCache::listEntries() const {
  std::vector<File> files;
  for (const std::string &prefix : namesIn(root)) {
    if (prefix.size() != 2 || !llvm::all_of(prefix, llvm::isHexDigit))
      continue;
    for (const std::string &name : namesIn(root + "/" + prefix)) {
      File file{root + "/" + prefix + "/" + name, prefix + name};
      struct stat status;
      if (::lstat(file.path.c_str(), &status) != 0)
        continue;
      file.bytes = uint64_t(status.st_size);
      file.used = status.st_mtim;
      files.push_back(std::move(file));
    }
  }
  return files;
}

uint64_t DiskCache::evict(std::vector<File> files, uint64_t bytes) {
  uint64_t total = 0, removed = 0;
  for (const File &file : files)
    total += file.bytes;
  llvm::sort(files, [](const File &a, const File &b) {
    return std::tie(a.used.tv_sec, a.used.tv_nsec, a.name) <
           std::tie(b.used.tv_sec, b.used.tv_nsec, b.name);
  });
  for (const File &file : files) {
    if (total <= bytes)
      break;
    if (::unlink(file.path.c_str()) == 0)
      ++removed;
    total -= file.bytes;
  }
  return removed;
}

/// Adds to the estimate of the folder's size, and evicts when that passes the limit.
void DiskCache::account(uint64_t added) {
  FileLock lock = FileLock::acquire(root + "/lock", kBookkeepingByte, /*milliseconds=*/100);
  if (!lock.isHeld())
    return;
  // Bytes, stores since the last scan.
  std::string usagePath = root + "/usage";
  std::optional<std::string> usage = readFile(usagePath);
  uint64_t bytes = 0, stores = kStoresBetweenScans;
  if (usage) {
    auto [first, second] = StringRef(*usage).trim().split(' ');
    if (first.getAsInteger(10, bytes) || second.getAsInteger(10, stores)) {
      bytes = 0;
      stores = kStoresBetweenScans;
    }
  }
  bytes += added;
  if (++stores > kStoresBetweenScans || bytes > limit) {
    std::vector<File> files = listEntries();
    bytes = 0;
    stores = 0;
    for (const File &file : files)
      bytes += file.bytes;
    if (bytes > limit) {
      uint64_t target = limit - limit / kFreedPart;
      evict(std::move(files), target);
      bytes = std::min(bytes, target);
    }
    removeStaleTemporaries(kStaleSeconds);
  }
  llvm::consumeError(writeAtomically(usagePath, llvm::utostr(bytes) + " " + llvm::utostr(stores)));
}

void DiskCache::removeStaleTemporaries(unsigned olderThanSeconds) {
  time_t now = std::time(nullptr);
  for (const std::string &name : namesIn(root + "/tmp")) {
    std::string path = root + "/tmp/" + name;
    struct stat status;
    if (::lstat(path.c_str(), &status) == 0 && now - status.st_mtime >= time_t(olderThanSeconds))
      ::unlink(path.c_str());
  }
}

DiskCacheInfo DiskCache::info() const {
  DiskCacheInfo result;
  for (const File &file : listEntries()) {
    ++result.entries;
    result.bytes += file.bytes;
  }
  result.temporaries = namesIn(root + "/tmp").size();
  return result;
}

llvm::Error DiskCache::clear() {
  int firstError = 0;
  auto remove = [&](const std::string &path) {
    if (::unlink(path.c_str()) != 0 && errno != ENOENT && firstError == 0)
      firstError = errno;
  };
  for (const File &file : listEntries())
    remove(file.path);
  for (const char *below : {"/tmp", "/files"})
    for (const std::string &name : namesIn(root + below))
      remove(root + below + "/" + name);
  remove(root + "/usage");
  if (firstError == 0)
    return llvm::Error::success();
  return llvm::createStringError("cannot remove all entries of '" + folder +
                                 "': " + errorText(firstError));
}

DiskCacheVerdict DiskCache::verify() {
  DiskCacheVerdict verdict;
  for (const File &file : listEntries()) {
    std::string reason;
    std::optional<CacheKey> key = CacheKey::fromHex(file.name);
    std::optional<std::string> bytes = key ? readFile(file.path) : std::nullopt;
    if (!key) {
      reason = "not the name of an entry";
    } else if (!bytes) {
      // Evicted between listing and reading.
      if (::access(file.path.c_str(), F_OK) != 0)
        continue;
      reason = "not a readable file";
    } else if (llvm::Expected<CacheEntry> entry = decodeEntry(*key, *bytes); !entry) {
      reason = llvm::toString(entry.takeError());
    } else {
      ++verdict.good;
      continue;
    }
    if (::unlink(file.path.c_str()) != 0)
      reason += "; cannot remove it: " + errorText(errno);
    verdict.removed.emplace_back(file.path, reason);
  }
  return verdict;
}

uint64_t DiskCache::prune(uint64_t bytes) {
  FileLock lock = FileLock::acquire(root + "/lock", kBookkeepingByte, /*milliseconds=*/10000);
  uint64_t removed = evict(listEntries(), bytes);
  removeStaleTemporaries(kStaleSeconds);
  uint64_t left = 0;
  for (const File &file : listEntries())
    left += file.bytes;
  if (!readOnly)
    llvm::consumeError(writeAtomically(root + "/usage", llvm::utostr(left) + " 0"));
  return removed;
}

} // namespace tilec
