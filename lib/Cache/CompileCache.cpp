// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CompileCache.h. The mutex guards the members and is never held while a file or a server is
// asked.

#include "tilec/Cache/CompileCache.h"

#include "tilec/Cache/FileLock.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using llvm::StringRef;

namespace tilec {

/// A shared store that failed is not asked for this long.
static constexpr std::chrono::seconds kSharedRest{30};

StringRef cacheLevelName(CacheLevel level) {
  switch (level) {
  case CacheLevel::Memory:
    return "memory";
  case CacheLevel::Disk:
    return "disk";
  case CacheLevel::Shared:
    return "shared";
  case CacheLevel::None:
    break;
  }
  return "";
}

CompileCache::CompileCache(const CacheConfig &cacheConfig) : config(cacheConfig) {
  if (!config.folder.empty()) {
    if (auto opened = DiskCache::open(config.folder, config.diskLimit)) {
      disk = std::move(*opened);
      if (disk->isReadOnly())
        addProblem("cache folder '" + config.folder +
                   "' cannot be written: new kernels are not kept on disk");
    } else {
      addProblem("no cache on disk: " + llvm::toString(opened.takeError()));
    }
  }
  if (!config.shared.empty()) {
    if (auto opened = openSharedStore(config.shared))
      shared = std::move(*opened);
    else
      addProblem("no shared cache: " + llvm::toString(opened.takeError()));
  }
}

CompileCache::~CompileCache() = default;

//===--------------------------------------------------------------------===//
// Claims
//===--------------------------------------------------------------------===//

struct CompileCache::Claim::Impl {
  CompileCache *cache;
  CacheKey key;
  FileLock lock;
};

CompileCache::Claim::Claim(CompileCache &owner, const CacheKey &claimedKey)
    : impl(new Impl{&owner, claimedKey, FileLock()}) {}
CompileCache::Claim::Claim(Claim &&) noexcept = default;

CompileCache::Claim::~Claim() {
  if (!impl)
    return;
  impl->lock = FileLock();
  std::lock_guard<std::mutex> guard(impl->cache->mutex);
  impl->cache->claimed.erase(impl->key);
  impl->cache->released.notify_all();
}

CompileCache::Claim CompileCache::claim(const CacheKey &key) {
  auto wait = std::chrono::milliseconds(config.waitMilliseconds);
  {
    std::unique_lock<std::mutex> guard(mutex);
    released.wait_for(guard, wait, [&] { return claimed.count(key) == 0; });
    claimed.insert(key);
  }
  Claim result(*this, key);
  if (disk && !disk->isReadOnly())
    result.impl->lock =
        disk->lock(key, config.waitMilliseconds, [&] { return !disk->exists(key); });
  return result;
}

//===--------------------------------------------------------------------===//
// Entries
//===--------------------------------------------------------------------===//

CompileCache::EntryPtr CompileCache::findInMemory(const CacheKey &key) {
  std::lock_guard<std::mutex> guard(mutex);
  auto place = places.find(key);
  if (place == places.end())
    return nullptr;
  recent.splice(recent.begin(), recent, place->second);
  ++statistics.memoryHits;
  return recent.front().second;
}

void CompileCache::keepInMemory(const CacheKey &key, EntryPtr entry) {
  std::lock_guard<std::mutex> guard(mutex);
  if (places.count(key) || entry->size() > config.memoryLimit)
    return;
  memoryBytes += entry->size();
  recent.emplace_front(key, std::move(entry));
  places[key] = recent.begin();
  while (memoryBytes > config.memoryLimit) {
    memoryBytes -= recent.back().second->size();
    places.erase(recent.back().first);
    recent.pop_back();
  }
}

CompileCache::EntryPtr CompileCache::findInShared(const CacheKey &key) {
  if (!isSharedUsable())
    return nullptr;
  llvm::Expected<std::optional<std::string>> bytes = shared->get(key);
  if (!bytes) {
    sharedFailed(bytes.takeError());
    return nullptr;
  }
  if (!*bytes)
    return nullptr;
  llvm::Expected<CacheEntry> entry = decodeEntry(key, **bytes);
  if (!entry) {
    // It is replaced when the kernel has been compiled.
    llvm::consumeError(entry.takeError());
    return nullptr;
  }
  if (disk && !disk->isReadOnly())
    if (llvm::Error error = disk->store(key, **bytes))
      addProblem("a kernel was not kept on disk: " + llvm::toString(std::move(error)));
  return std::make_shared<const CacheEntry>(std::move(*entry));
}

std::shared_ptr<const CacheEntry> CompileCache::find(const CacheKey &key, CacheLevel *level,
                                                     bool sharable) {
  CacheLevel where = CacheLevel::Memory;
  EntryPtr entry = findInMemory(key);
  if (!entry && disk) {
    if (std::optional<CacheEntry> loaded = disk->load(key)) {
      entry = std::make_shared<const CacheEntry>(std::move(*loaded));
      where = CacheLevel::Disk;
    }
  }
  if (!entry) {
    entry = sharable ? findInShared(key) : nullptr;
    where = entry ? CacheLevel::Shared : CacheLevel::None;
  }
  if (where != CacheLevel::Memory) {
    std::lock_guard<std::mutex> guard(mutex);
    ++(where == CacheLevel::Disk     ? statistics.diskHits
       : where == CacheLevel::Shared ? statistics.sharedHits
                                     : statistics.misses);
  }
  if (entry && where != CacheLevel::Memory)
    keepInMemory(key, entry);
  if (level)
    *level = where;
  return entry;
}

void CompileCache::store(const CacheKey &key, const CacheEntry &entry, bool sharable) {
  keepInMemory(key, std::make_shared<const CacheEntry>(entry));
  {
    std::lock_guard<std::mutex> guard(mutex);
    ++statistics.stores;
  }
  bool writesDisk = disk && !disk->isReadOnly(), writesShared = sharable && isSharedUsable();
  if (!writesDisk && !writesShared)
    return;
  std::string bytes = encodeEntry(key, entry);
  if (writesDisk)
    if (llvm::Error error = disk->store(key, bytes))
      addProblem("a kernel was not kept on disk: " + llvm::toString(std::move(error)));
  if (writesShared)
    if (llvm::Error error = shared->put(key, bytes))
      sharedFailed(std::move(error));
}

//===--------------------------------------------------------------------===//
// The rest
//===--------------------------------------------------------------------===//

std::string CompileCache::hashFile(const std::string &path) {
  llvm::sys::fs::file_status status;
  llvm::SmallString<256> real;
  if (llvm::sys::fs::real_path(path, real) || llvm::sys::fs::status(real, status))
    return "";
  KeyHasher hasher;
  hasher.add("path", real);
  hasher.add("size", status.getSize());
  hasher.add("time", uint64_t(status.getLastModificationTime().time_since_epoch().count()));
  hasher.add("file", status.getUniqueID().getFile());
  hasher.add("device", status.getUniqueID().getDevice());
  CacheKey identity = hasher.finish();
  std::string name = identity.hex();
  {
    std::lock_guard<std::mutex> guard(mutex);
    auto known = fileHashes.find(name);
    if (known != fileHashes.end())
      return known->second;
  }
  std::optional<std::string> text = disk ? disk->loadNote(identity) : std::nullopt;
  if (!text) {
    auto content = llvm::MemoryBuffer::getFile(real, /*IsText=*/false,
                                               /*RequiresNullTerminator=*/false);
    if (!content)
      return "";
    text = hashOf((*content)->getBuffer()).hex();
    if (disk)
      disk->storeNote(identity, *text);
  }
  std::lock_guard<std::mutex> guard(mutex);
  fileHashes[name] = *text;
  return *text;
}

void CompileCache::addProblem(const std::string &text) {
  std::lock_guard<std::mutex> guard(mutex);
  if (knownProblems.insert(text).second)
    problems.push_back(text);
}

std::vector<std::string> CompileCache::takeProblems() {
  std::lock_guard<std::mutex> guard(mutex);
  return std::exchange(problems, {});
}

CacheStatistics CompileCache::getStatistics() const {
  std::lock_guard<std::mutex> guard(mutex);
  return statistics;
}

bool CompileCache::isSharedUsable() {
  std::lock_guard<std::mutex> guard(mutex);
  return shared && std::chrono::steady_clock::now() >= sharedRestsUntil;
}

void CompileCache::sharedFailed(llvm::Error error) {
  addProblem("shared cache '" + shared->describe() +
             "' does not work: " + llvm::toString(std::move(error)) + "; going on without it");
  std::lock_guard<std::mutex> guard(mutex);
  sharedRestsUntil = std::chrono::steady_clock::now() + kSharedRest;
}

} // namespace tilec
