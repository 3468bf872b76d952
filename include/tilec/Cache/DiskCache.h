// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cache entries in a folder that any number of processes use at once:
//
//   FOLDER/v1/ab/cdef...   an entry, named by the digits of its key
//   FOLDER/v1/tmp/         entries being written; a rename makes them visible
//   FOLDER/v1/lock         bytes that are locked: one for each key, one for the bookkeeping
//   FOLDER/v1/usage        how many bytes there are, about
//   FOLDER/v1/files/       content hashes of files (ptxas, math libraries), by path, size and time
//
// Entries are verified whenever they are read; what is not a whole entry of its key is removed and
// counts as absent. A hit sets the file's time, and eviction takes the oldest ones first.

#ifndef TILEC_CACHE_DISKCACHE_H
#define TILEC_CACHE_DISKCACHE_H

#include "tilec/Cache/Container.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>

namespace tilec {

class FileLock;

struct DiskCacheInfo {
  uint64_t entries = 0;
  uint64_t bytes = 0;
  /// Files that are being written, or were when their writer died.
  uint64_t temporaries = 0;
};

struct DiskCacheVerdict {
  uint64_t good = 0;
  /// Removed entries: path and what was wrong.
  std::vector<std::pair<std::string, std::string>> removed;
};

class DiskCache {
public:
  static constexpr uint64_t defaultLimit = uint64_t(2) << 30;

  /// Makes the folder where it is missing. Fails, saying why, when there is no usable folder; one
  /// that can be read but not written is usable.
  static llvm::Expected<std::unique_ptr<DiskCache>> open(llvm::StringRef folder,
                                                         uint64_t limit = defaultLimit);

  const std::string &getFolder() const { return folder; }
  bool isReadOnly() const { return readOnly; }
  uint64_t getLimit() const { return limit; }

  std::optional<CacheEntry> load(const CacheKey &key);
  /// The verified bytes of an entry, for another level.
  std::optional<std::string> loadBytes(const CacheKey &key);
  llvm::Error store(const CacheKey &key, llvm::StringRef bytes);
  bool exists(const CacheKey &key) const;

  /// The lock of a key. Waits while somebody else holds it and `goOn` agrees.
  FileLock lock(const CacheKey &key, unsigned milliseconds, llvm::function_ref<bool()> goOn) const;

  /// A small text kept beside the entries, by a key of its own.
  std::optional<std::string> loadNote(const CacheKey &key) const;
  void storeNote(const CacheKey &key, llvm::StringRef text);

  DiskCacheInfo info() const;
  /// Removes everything but the lock.
  llvm::Error clear();
  /// Reads every entry and removes the bad ones.
  DiskCacheVerdict verify();
  /// Removes the oldest entries until at most `bytes` are left, and what dead writers left behind.
  /// Returns how many entries went.
  uint64_t prune(uint64_t bytes);

private:
  struct File;

  DiskCache(std::string cacheFolder, uint64_t limitBytes)
      : folder(std::move(cacheFolder)), root(folder + "/v1"), limit(limitBytes) {}
  std::string pathOf(const CacheKey &key) const;
  /// An entry and the file that it was read from.
  struct Verified {
    std::string bytes;
    CacheEntry entry;
  };
  /// Removes what is not what the key says.
  std::optional<Verified> readVerified(const CacheKey &key);
  llvm::Error writeAtomically(const std::string &path, llvm::StringRef bytes);
  std::vector<File> listEntries() const;
  uint64_t evict(std::vector<File> files, uint64_t bytes);
  void removeStaleTemporaries(unsigned olderThanSeconds);
  void account(uint64_t added);

  std::string folder;
  /// The folder of this format.
  std::string root;
  uint64_t limit;
  bool readOnly = false;
};

} // namespace tilec

#endif // TILEC_CACHE_DISKCACHE_H
