// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads coordinates out of printed lines. What a kernel prints itself cannot be taken for them: its
// text is one more space away from the program's coordinates.

#include "tilec/Run/Places.h"

#include "llvm/ADT/StringRef.h"

using namespace tilecrt::sim;

namespace tilec {

Site placeOf(int32_t site, const std::vector<Site> &sites) {
  return site >= 0 && size_t(site) < sites.size() ? sites[size_t(site)] : Site();
}

std::vector<int32_t> printedElement(const std::string &line) {
  llvm::StringRef rest = line;
  std::vector<int32_t> coordinates;
  if (!rest.consume_front("pid ("))
    return coordinates;
  rest = rest.split(") ").second;
  if (!rest.consume_front("idx ("))
    return coordinates;
  int32_t coordinate = 0;
  // Each is padded to the width of the largest.
  while (rest = rest.ltrim(' '), !rest.consumeInteger(10, coordinate)) {
    coordinates.push_back(coordinate);
    if (!rest.consume_front(", "))
      break;
  }
  return coordinates;
}

std::vector<int32_t> assertedElement(const Finding &finding,
                                     const std::vector<PrintedLine> &printed,
                                     const std::vector<Site> &sites) {
  if (finding.kind != FindingKind::AssertFailed)
    return {};
  Site place = placeOf(finding.site, sites);
  for (auto line = printed.rbegin(); line != printed.rend(); ++line) {
    if (line->thread.cta != finding.thread.cta || line->thread.thread != finding.thread.thread)
      continue;
    Site other = placeOf(line->site, sites);
    if (other.line == place.line && other.col == place.col && other.file == place.file)
      return printedElement(line->text);
  }
  return {};
}

std::string elementText(const std::vector<int32_t> &coordinates) {
  std::string text;
  for (int32_t coordinate : coordinates)
    text += (text.empty() ? "\n  element (" : ", ") + std::to_string(coordinate);
  return text.empty() ? text : text + ")";
}

} // namespace tilec
