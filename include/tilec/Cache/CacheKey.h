// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The name of a cached compilation: 32 bytes of BLAKE3 over everything that the result depends on.
// Every part is hashed with its length and a label, so that no two different lists of parts have
// the same bytes.

#ifndef TILEC_CACHE_CACHEKEY_H
#define TILEC_CACHE_CACHEKEY_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/BLAKE3.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace tilec {

struct CacheKey {
  std::array<uint8_t, 32> bytes = {};

  /// 64 lower-case hexadecimal digits.
  std::string hex() const;
  /// Reads what hex wrote; nothing when it is no key.
  static std::optional<CacheKey> fromHex(llvm::StringRef text);

  bool operator==(const CacheKey &other) const { return bytes == other.bytes; }
  bool operator!=(const CacheKey &other) const { return bytes != other.bytes; }
  bool operator<(const CacheKey &other) const { return bytes < other.bytes; }
};

/// Makes a key from labelled parts; their order counts.
class KeyHasher {
public:
  KeyHasher &add(llvm::StringRef label, llvm::StringRef text);
  KeyHasher &add(llvm::StringRef label, uint64_t number);
  CacheKey finish();

private:
  void addBytes(llvm::StringRef bytes);

  llvm::BLAKE3 state;
};

/// The hash of a text alone, for checksums.
CacheKey hashOf(llvm::StringRef bytes);

} // namespace tilec

#endif // TILEC_CACHE_CACHEKEY_H
