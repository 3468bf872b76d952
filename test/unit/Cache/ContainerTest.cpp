// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The container: what is written is read, and nothing else is.

#include "tilec/Cache/Container.h"

#include "gtest/gtest.h"

#include <set>

using namespace tilec;

namespace {

CacheKey keyOf(const char *text) { return KeyHasher().add("test", text).finish(); }

CacheEntry sample() {
  CacheEntry entry;
  entry.add("metadata", "{}");
  entry.add("ptx", std::string("a\0b", 3));
  entry.add("", "");
  return entry;
}

bool reads(const CacheKey &key, llvm::StringRef bytes) {
  llvm::Expected<CacheEntry> entry = decodeEntry(key, bytes);
  if (entry)
    return true;
  EXPECT_FALSE(llvm::toString(entry.takeError()).empty());
  return false;
}

TEST(CacheKey, HexRoundTrip) {
  CacheKey key = keyOf("a");
  EXPECT_EQ(key.hex().size(), 64u);
  EXPECT_EQ(CacheKey::fromHex(key.hex()), key);
  EXPECT_FALSE(CacheKey::fromHex(""));
  EXPECT_FALSE(CacheKey::fromHex(key.hex() + "0"));
  EXPECT_FALSE(CacheKey::fromHex(llvm::StringRef(key.hex()).upper()));
  EXPECT_FALSE(CacheKey::fromHex(std::string(64, 'g')));
}

TEST(CacheKey, PartsDoNotRunTogether) {
  std::set<CacheKey> keys = {KeyHasher().add("a", "bc").finish(),
                             KeyHasher().add("ab", "c").finish(),
                             KeyHasher().add("a", "b").add("c", "").finish(),
                             KeyHasher().add("a", "").add("b", "c").finish(),
                             KeyHasher().add("a", "bc").add("", "").finish()};
  EXPECT_EQ(keys.size(), 5u);
}

TEST(Container, RoundTrip) {
  CacheKey key = keyOf("a");
  llvm::Expected<CacheEntry> entry = decodeEntry(key, encodeEntry(key, sample()));
  ASSERT_TRUE(bool(entry));
  EXPECT_EQ(entry->sections, sample().sections);
  EXPECT_EQ(*entry->find("ptx"), std::string("a\0b", 3));
  EXPECT_EQ(entry->find("nothing"), nullptr);
}

TEST(Container, OtherKey) { EXPECT_FALSE(reads(keyOf("b"), encodeEntry(keyOf("a"), sample()))); }

TEST(Container, EveryByteCounts) {
  CacheKey key = keyOf("a");
  std::string bytes = encodeEntry(key, sample());
  for (size_t i = 0; i < bytes.size(); ++i)
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::string bad = bytes;
      bad[i] = char(bad[i] ^ (1 << bit));
      EXPECT_FALSE(reads(key, bad)) << "byte " << i << " bit " << bit;
    }
}

TEST(Container, EveryLengthCounts) {
  CacheKey key = keyOf("a");
  std::string bytes = encodeEntry(key, sample());
  for (size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(reads(key, llvm::StringRef(bytes).take_front(length)));
  EXPECT_FALSE(reads(key, bytes + "x"));
  EXPECT_FALSE(reads(key, bytes + bytes));
}

TEST(Container, Garbage) {
  uint64_t state = 12345;
  for (unsigned round = 0; round < 2000; ++round) {
    std::string bytes;
    for (unsigned i = 0, length = round % 300; i < length; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      bytes.push_back(char(state >> 56));
    }
    EXPECT_FALSE(reads(keyOf("a"), bytes));
    EXPECT_FALSE(reads(keyOf("a"), "tilecent" + bytes));
  }
}

} // namespace
