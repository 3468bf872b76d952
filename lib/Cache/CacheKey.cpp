// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CacheKey.h.

#include "tilec/Cache/CacheKey.h"

#include "llvm/ADT/StringExtras.h"

#include <cstring>

namespace tilec {

std::string CacheKey::hex() const { return llvm::toHex(bytes, /*LowerCase=*/true); }

std::optional<CacheKey> CacheKey::fromHex(llvm::StringRef text) {
  CacheKey key;
  std::string decoded;
  if (text.size() != 2 * key.bytes.size() || text.lower() != text ||
      !llvm::tryGetFromHex(text, decoded))
    return std::nullopt;
  std::memcpy(key.bytes.data(), decoded.data(), key.bytes.size());
  return key;
}

void KeyHasher::addBytes(llvm::StringRef bytes) {
  uint8_t length[8];
  for (unsigned i = 0; i < 8; ++i)
    length[i] = uint8_t(uint64_t(bytes.size()) >> (8 * i));
  state.update(length);
  state.update(bytes);
}

KeyHasher &KeyHasher::add(llvm::StringRef label, llvm::StringRef text) {
  addBytes(label);
  addBytes(text);
  return *this;
}

KeyHasher &KeyHasher::add(llvm::StringRef label, uint64_t number) {
  return add(label, llvm::utostr(number));
}

CacheKey KeyHasher::finish() {
  CacheKey key;
  key.bytes = state.final<32>();
  return key;
}

CacheKey hashOf(llvm::StringRef bytes) {
  CacheKey key;
  key.bytes = llvm::BLAKE3::hash<32>(
      llvm::ArrayRef<uint8_t>(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
  return key;
}

} // namespace tilec
