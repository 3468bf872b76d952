// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The second level of the cache, shared by many machines: a folder (NFS) or a Redis server. It
// holds the same containers as the disk, which are verified after every read. A store that does not
// answer is left alone for a while, so that compilations do not wait for it again and again.

#ifndef TILEC_CACHE_SHAREDSTORE_H
#define TILEC_CACHE_SHAREDSTORE_H

#include "tilec/Cache/Container.h"

#include <memory>

namespace tilec {

class SharedStore {
public:
  virtual ~SharedStore();

  /// The bytes of an entry; nothing when there is none. An error says why the store does not work.
  virtual llvm::Expected<std::optional<std::string>> get(const CacheKey &key) = 0;
  virtual llvm::Error put(const CacheKey &key, llvm::StringRef bytes) = 0;
  /// For messages; without passwords.
  virtual std::string describe() const = 0;
};

/// A store by its address: a folder, or "redis://[[USER:]PASSWORD@]HOST[:PORT][/DATABASE]", or
/// "redis+unix://PATH". Nothing is opened yet; an error says what is wrong with the address.
llvm::Expected<std::unique_ptr<SharedStore>> openSharedStore(llvm::StringRef address);

/// Whether this build can talk to a Redis server.
bool hasRedis();

} // namespace tilec

#endif // TILEC_CACHE_SHAREDSTORE_H
