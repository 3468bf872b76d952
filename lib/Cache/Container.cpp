// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Container.h. The checksum is verified before anything behind the header is looked at, and the
// sections are bounds-checked all the same.

#include "tilec/Cache/Container.h"

#include "llvm/Support/Endian.h"

#include <cstring>

using llvm::StringRef;

namespace tilec {

namespace {
constexpr llvm::StringLiteral kMagic = "tilecent";
constexpr uint32_t kFormat = 1;
constexpr size_t kKeyAt = 16, kLengthAt = 48, kChecksumAt = 56, kHeaderBytes = 88;

void appendNumber(std::string &bytes, uint64_t number, unsigned width) {
  for (unsigned i = 0; i < width; ++i)
    bytes.push_back(char(number >> (8 * i)));
}

/// The checksum of an entry, whatever stands in the place of its own.
CacheKey checksumOf(StringRef bytes) {
  llvm::BLAKE3 state;
  const uint8_t zero[32] = {};
  state.update(bytes.take_front(kChecksumAt));
  state.update(zero);
  state.update(bytes.drop_front(kHeaderBytes));
  CacheKey checksum;
  checksum.bytes = state.final<32>();
  return checksum;
}

llvm::Error invalid(const char *reason) { return llvm::createStringError(reason); }
} // namespace

const std::string *CacheEntry::find(StringRef name) const {
  for (const auto &[sectionName, content] : sections)
    if (sectionName == name)
      return &content;
  return nullptr;
}

size_t CacheEntry::size() const {
  size_t bytes = 0;
  for (const auto &[name, content] : sections)
    bytes += name.size() + content.size();
  return bytes;
}

std::string encodeEntry(const CacheKey &key, const CacheEntry &entry) {
  size_t length = entry.size() + 12 * entry.sections.size();
  std::string bytes;
  bytes.reserve(kHeaderBytes + length);
  bytes += kMagic;
  appendNumber(bytes, kFormat, 4);
  appendNumber(bytes, entry.sections.size(), 4);
  bytes.append(reinterpret_cast<const char *>(key.bytes.data()), key.bytes.size());
  appendNumber(bytes, length, 8);
  bytes.append(32, '\0');
  for (const auto &[name, content] : entry.sections) {
    appendNumber(bytes, name.size(), 4);
    appendNumber(bytes, content.size(), 8);
    bytes += name;
    bytes += content;
  }
  CacheKey checksum = checksumOf(bytes);
  std::memcpy(&bytes[kChecksumAt], checksum.bytes.data(), checksum.bytes.size());
  return bytes;
}

llvm::Expected<CacheEntry> decodeEntry(const CacheKey &key, StringRef bytes) {
  using namespace llvm::support;
  if (bytes.size() < kHeaderBytes)
    return invalid("shorter than its header");
  if (!bytes.starts_with(kMagic))
    return invalid("not made by tilec");
  if (endian::read32le(bytes.data() + 8) != kFormat)
    return invalid("of another format");
  if (std::memcmp(bytes.data() + kKeyAt, key.bytes.data(), key.bytes.size()) != 0)
    return invalid("the entry of another key");
  if (endian::read64le(bytes.data() + kLengthAt) != bytes.size() - kHeaderBytes)
    return invalid("not as long as it says");
  CacheKey checksum = checksumOf(bytes);
  if (std::memcmp(bytes.data() + kChecksumAt, checksum.bytes.data(), checksum.bytes.size()) != 0)
    return invalid("its checksum is wrong");

  CacheEntry entry;
  uint32_t count = endian::read32le(bytes.data() + 12);
  StringRef rest = bytes.drop_front(kHeaderBytes);
  for (uint32_t i = 0; i < count; ++i) {
    if (rest.size() < 12)
      return invalid("a section is cut off");
    uint64_t nameBytes = endian::read32le(rest.data());
    uint64_t contentBytes = endian::read64le(rest.data() + 4);
    rest = rest.drop_front(12);
    if (nameBytes > rest.size() || contentBytes > rest.size() - nameBytes)
      return invalid("a section is cut off");
    entry.add(rest.take_front(nameBytes), rest.substr(nameBytes, contentBytes));
    rest = rest.drop_front(nameBytes + contentBytes);
  }
  if (!rest.empty())
    return invalid("bytes behind the last section");
  return entry;
}

} // namespace tilec
