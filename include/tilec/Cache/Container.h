// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes of a cache entry: named sections behind a header that says whose entry it is, how long
// it is and what its checksum is. All numbers are little endian.
//
//   8 bytes   "tilecent"
//   4         format number
//   4         number of sections
//   32        the entry's key
//   8         bytes that follow this header
//   32        BLAKE3 of header and sections, these 32 bytes taken as zero
//   sections  4 bytes length of the name, 8 bytes length of the content, name, content

#ifndef TILEC_CACHE_CONTAINER_H
#define TILEC_CACHE_CONTAINER_H

#include "tilec/Cache/CacheKey.h"

#include "llvm/Support/Error.h"

#include <utility>
#include <vector>

namespace tilec {

/// What one compilation returns, as named byte strings in order.
struct CacheEntry {
  std::vector<std::pair<std::string, std::string>> sections;

  void add(llvm::StringRef name, llvm::StringRef content) {
    sections.emplace_back(name.str(), content.str());
  }
  /// The first section of that name, or null.
  const std::string *find(llvm::StringRef name) const;
  /// Bytes of all contents.
  size_t size() const;
};

std::string encodeEntry(const CacheKey &key, const CacheEntry &entry);

/// Reads what encodeEntry wrote for this key. Anything else (torn, corrupt, of another key or
/// format) is an error that says what is wrong.
llvm::Expected<CacheEntry> decodeEntry(const CacheKey &key, llvm::StringRef bytes);

} // namespace tilec

#endif // TILEC_CACHE_CONTAINER_H
