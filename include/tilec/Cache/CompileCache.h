// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The levels together: memory, then a folder, then a store that machines share. What is found in a
// slower level is copied to the faster ones. Whatever goes wrong with a level is a text, not a
// failure: compiling goes on without it. One object may be used by any number of threads and
// compilers.

#ifndef TILEC_CACHE_COMPILECACHE_H
#define TILEC_CACHE_COMPILECACHE_H

#include "tilec/Cache/DiskCache.h"
#include "tilec/Cache/SharedStore.h"

#include <chrono>
#include <condition_variable>
#include <list>
#include <map>
#include <mutex>
#include <set>

namespace tilec {

struct CacheConfig {
  /// Folder of the disk level; empty: none.
  std::string folder;
  uint64_t diskLimit = DiskCache::defaultLimit;
  /// Bytes kept in memory; 0: nothing.
  uint64_t memoryLimit = uint64_t(64) << 20;
  /// Address of the shared store, for openSharedStore; empty: none.
  std::string shared;
  /// How long to wait for another thread or process that compiles the same kernel.
  unsigned waitMilliseconds = 120000;
};

enum class CacheLevel { None, Memory, Disk, Shared };

/// "memory", "disk", "shared"; "" for None.
llvm::StringRef cacheLevelName(CacheLevel level);

struct CacheStatistics {
  uint64_t memoryHits = 0, diskHits = 0, sharedHits = 0, misses = 0, stores = 0;
};

class CompileCache {
public:
  /// Levels that cannot be had are left out; takeProblems says why.
  explicit CompileCache(const CacheConfig &config);
  ~CompileCache();

  /// Whoever compiles holds a claim, so that nobody else compiles the same at the same time.
  class Claim {
  public:
    Claim(Claim &&) noexcept;
    ~Claim();

  private:
    friend class CompileCache;
    Claim(CompileCache &owner, const CacheKey &claimed);
    struct Impl;
    std::unique_ptr<Impl> impl;
  };

  /// An entry that is not `sharable` is looked for and kept on this machine only: code for the host
  /// runs in the process itself, and machines differ.
  std::shared_ptr<const CacheEntry> find(const CacheKey &key, CacheLevel *level = nullptr,
                                         bool sharable = true);
  /// Waits for others that compile this key, at most the configured time, and until its entry is
  /// there. The caller looks again and compiles when it still has to.
  Claim claim(const CacheKey &key);
  void store(const CacheKey &key, const CacheEntry &entry, bool sharable = true);

  /// The hash of a file's content, as digits; remembered by path, size and time. Empty when it
  /// cannot be read.
  std::string hashFile(const std::string &path);

  /// What went wrong since the last call, each once in the life of the cache.
  std::vector<std::string> takeProblems();
  CacheStatistics getStatistics() const;
  /// Null without a disk level.
  DiskCache *getDisk() const { return disk.get(); }

private:
  using EntryPtr = std::shared_ptr<const CacheEntry>;

  EntryPtr findInMemory(const CacheKey &key);
  void keepInMemory(const CacheKey &key, EntryPtr entry);
  EntryPtr findInShared(const CacheKey &key);
  void addProblem(const std::string &text);
  bool isSharedUsable();
  void sharedFailed(llvm::Error error);

  CacheConfig config;
  std::unique_ptr<DiskCache> disk;
  std::unique_ptr<SharedStore> shared;

  mutable std::mutex mutex;
  std::condition_variable released;
  /// Keys that threads of this process compile.
  std::set<CacheKey> claimed;
  /// The latest used first, and where each key is.
  std::list<std::pair<CacheKey, EntryPtr>> recent;
  std::map<CacheKey, std::list<std::pair<CacheKey, EntryPtr>>::iterator> places;
  uint64_t memoryBytes = 0;
  std::map<std::string, std::string> fileHashes;
  std::chrono::steady_clock::time_point sharedRestsUntil;
  std::vector<std::string> problems;
  std::set<std::string> knownProblems;
  CacheStatistics statistics;
};

} // namespace tilec

#endif // TILEC_CACHE_COMPILECACHE_H
