// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The store in a folder, and the choice of the store. A shared folder is a disk cache without a
// limit of its own: whoever owns it prunes it.

#include "tilec/Cache/SharedStore.h"

#include "RedisStore.h"
#include "tilec/Cache/DiskCache.h"

#include <limits>
#include <mutex>

using llvm::StringRef;

namespace tilec {

SharedStore::~SharedStore() = default;

namespace {

class FolderStore : public SharedStore {
public:
  explicit FolderStore(std::string path) : folder(std::move(path)) {}

  llvm::Expected<std::optional<std::string>> get(const CacheKey &key) override {
    if (llvm::Error error = open())
      return std::move(error);
    return cache->loadBytes(key);
  }
  llvm::Error put(const CacheKey &key, StringRef bytes) override {
    if (llvm::Error error = open())
      return error;
    return cache->isReadOnly() ? llvm::Error::success() : cache->store(key, bytes);
  }
  std::string describe() const override { return folder; }

private:
  llvm::Error open() {
    std::lock_guard<std::mutex> lock(mutex);
    if (cache)
      return llvm::Error::success();
    auto opened = DiskCache::open(folder, std::numeric_limits<uint64_t>::max());
    if (!opened)
      return opened.takeError();
    cache = std::move(*opened);
    return llvm::Error::success();
  }

  std::string folder;
  std::mutex mutex;
  std::unique_ptr<DiskCache> cache;
};

} // namespace

llvm::Expected<std::unique_ptr<SharedStore>> openSharedStore(StringRef address) {
  if (address.consume_front("redis://"))
    return makeRedisStore(address, /*isUnix=*/false);
  if (address.consume_front("redis+unix://"))
    return makeRedisStore(address, /*isUnix=*/true);
  if (address.contains("://"))
    return llvm::createStringError("unknown kind of store '" + address.str() +
                                   "', expected a folder, 'redis://HOST' or 'redis+unix://PATH'");
  if (address.empty())
    return llvm::createStringError("no address is given");
  return std::make_unique<FolderStore>(address.str());
}

} // namespace tilec
