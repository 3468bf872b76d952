// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See HostSections.h. A site is its line and column and two texts, each with its length before it;
// all numbers are 32 bits, little endian.

#include "tilec/Driver/HostSections.h"

#include "tilecrt/sim/SimAbi.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"

using llvm::StringRef;
using tilecrt::sim::Site;

namespace tilec {

static void appendNumber(std::string &bytes, uint32_t number) {
  char digits[4];
  llvm::support::endian::write32le(digits, number);
  bytes.append(digits, sizeof digits);
}

static std::optional<uint32_t> takeNumber(StringRef &bytes) {
  if (bytes.size() < 4)
    return std::nullopt;
  uint32_t number = llvm::support::endian::read32le(bytes.data());
  bytes = bytes.drop_front(4);
  return number;
}

static void appendText(std::string &bytes, StringRef text) {
  appendNumber(bytes, uint32_t(text.size()));
  bytes.append(text.begin(), text.end());
}

static std::optional<StringRef> takeText(StringRef &bytes) {
  std::optional<uint32_t> size = takeNumber(bytes);
  if (!size || bytes.size() < *size)
    return std::nullopt;
  StringRef text = bytes.take_front(*size);
  bytes = bytes.drop_front(*size);
  return text;
}

/// Callers and blocks of the sites that have some: sections of their own, which hosts that do not
/// know them leave out.
static std::string encodeDetails(llvm::ArrayRef<Site> sites) {
  std::string bytes;
  for (auto [index, site] : llvm::enumerate(sites)) {
    if (site.callers.empty() && site.block.empty())
      continue;
    appendNumber(bytes, uint32_t(index));
    appendNumber(bytes, uint32_t(site.callers.size()));
    for (const tilecrt::sim::CallPlace &caller : site.callers) {
      appendNumber(bytes, uint32_t(caller.line));
      appendNumber(bytes, uint32_t(caller.col));
      appendText(bytes, caller.file);
    }
    appendNumber(bytes, uint32_t(site.block.size()));
    for (const tilecrt::sim::BlockInstructions &part : site.block)
      for (int32_t number : {part.site, part.instructionClass, part.amount})
        appendNumber(bytes, uint32_t(number));
  }
  return bytes;
}

static bool decodeDetails(StringRef bytes, std::vector<Site> &sites) {
  while (!bytes.empty()) {
    std::optional<uint32_t> index = takeNumber(bytes), callers = takeNumber(bytes);
    if (!index || *index >= sites.size() || !callers)
      return false;
    Site &site = sites[*index];
    for (uint32_t i = 0; i < *callers; ++i) {
      std::optional<uint32_t> line = takeNumber(bytes), column = takeNumber(bytes);
      std::optional<StringRef> file = takeText(bytes);
      if (!line || !column || !file)
        return false;
      site.callers.push_back({file->str(), int(*line), int(*column)});
    }
    std::optional<uint32_t> parts = takeNumber(bytes);
    for (uint32_t i = 0; parts && i < *parts; ++i) {
      std::optional<uint32_t> place = takeNumber(bytes), kind = takeNumber(bytes),
                              amount = takeNumber(bytes);
      if (!place || *place >= sites.size() || !kind ||
          *kind >= tilecrt::sim::abi::NumInstructionClasses || !amount)
        return false;
      site.block.push_back({int32_t(*place), int32_t(*kind), int32_t(*amount)});
    }
    if (!parts)
      return false;
  }
  return true;
}

static std::string encodeSites(llvm::ArrayRef<Site> sites) {
  std::string bytes;
  for (const Site &site : sites) {
    appendNumber(bytes, uint32_t(site.line));
    appendNumber(bytes, uint32_t(site.col));
    appendText(bytes, site.file);
    appendText(bytes, site.what);
  }
  return bytes;
}

static std::optional<std::vector<Site>> decodeSites(StringRef bytes) {
  std::vector<Site> sites;
  while (!bytes.empty()) {
    std::optional<uint32_t> line = takeNumber(bytes), column = takeNumber(bytes);
    std::optional<StringRef> file = takeText(bytes), what = takeText(bytes);
    if (!line || !column || !file || !what)
      return std::nullopt;
    sites.push_back({file->str(), int(*line), int(*column), what->str()});
  }
  return sites;
}

void addHostSections(CacheEntry &entry, const HostImage &image, StringRef prefix) {
  entry.add((prefix + "object").str(), image.object);
  entry.add((prefix + "symbol").str(), image.symbol);
  entry.add((prefix + "sites").str(), encodeSites(image.sites));
  if (std::string details = encodeDetails(image.sites); !details.empty())
    entry.add((prefix + "site-details").str(), details);
}

std::optional<HostImage> readHostSections(const CacheEntry &entry, const std::string &kernel,
                                          StringRef prefix) {
  const std::string *object = entry.find((prefix + "object").str()),
                    *symbol = entry.find((prefix + "symbol").str()),
                    *encoded = entry.find((prefix + "sites").str());
  std::optional<std::vector<Site>> sites;
  if (!object || !symbol || !encoded || !(sites = decodeSites(*encoded)))
    return std::nullopt;
  const std::string *details = entry.find((prefix + "site-details").str());
  if (details && !decodeDetails(*details, *sites))
    return std::nullopt;
  return HostImage{*object, *symbol, kernel, std::move(*sites)};
}

} // namespace tilec
