// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects findings of one host thread: those that agree in kind and sites are one, represented by
// the first one in the lowest CTA, so that merging the host threads' collections gives the same
// result in any order.
#ifndef TILEC_RUNTIME_SIM_FINDINGS_H
#define TILEC_RUNTIME_SIM_FINDINGS_H

#include "tilecrt/sim/Simulator.h"
#include <map>
#include <tuple>

namespace tilecrt::sim {

class FindingSet {
public:
  /// Adds one occurrence in the CTA with linear number `cta`. `describe` makes the message and is
  /// called only when this occurrence becomes the representative. Cost: one map look-up.
  template <typename Describe>
  void add(const Finding &finding, uint64_t cta, const Describe &describe) {
    auto [entry, isNew] = entries.try_emplace(keyOf(finding));
    Entry &held = entry->second;
    uint64_t count = isNew ? finding.count : held.finding.count + finding.count;
    if (isNew || cta < held.cta) {
      held.finding = finding;
      held.finding.message = describe();
      held.cta = cta;
    }
    held.finding.count = count;
  }

  /// Takes over all findings of `other`.
  void merge(FindingSet &&other);

  bool empty() const { return entries.empty(); }

  /// All findings: those that stopped a CTA first, then by CTA, kind and site.
  std::vector<Finding> sorted() &&;

private:
  using Key = std::tuple<FindingKind, int32_t, int32_t>;
  struct Entry {
    Finding finding;
    uint64_t cta = 0;
  };

  static Key keyOf(const Finding &finding) {
    return {finding.kind, finding.site, finding.otherSite};
  }

  std::map<Key, Entry> entries;
};

} // namespace tilecrt::sim

#endif // TILEC_RUNTIME_SIM_FINDINGS_H
