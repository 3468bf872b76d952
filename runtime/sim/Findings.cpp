// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merging, ordering and wording of findings.
#include "runtime/sim/Findings.h"

#include <algorithm>

namespace tilecrt::sim {
namespace {

/// Findings that end a CTA come first: they are what the user must see.
bool stopsCta(FindingKind kind) {
  switch (kind) {
  case FindingKind::Deadlock:
  case FindingKind::AssertFailed:
  case FindingKind::Trap:
  case FindingKind::StackOverflow:
  case FindingKind::HostFault:
  case FindingKind::KernelException:
    return true;
  default:
    return false;
  }
}

std::string place(int32_t site, const LaunchConfig &config) {
  if (!config.sites || site < 0 || static_cast<size_t>(site) >= config.sites->size())
    return "<unknown>";
  const Site &s = (*config.sites)[static_cast<size_t>(site)];
  return s.file + ":" + std::to_string(s.line) + ":" + std::to_string(s.col);
}

std::string threadText(const ThreadRef &thread) {
  return "CTA (" + std::to_string(thread.cta[0]) + ", " + std::to_string(thread.cta[1]) + ", " +
         std::to_string(thread.cta[2]) + "), thread " + std::to_string(thread.thread) + " (warp " +
         std::to_string(thread.warp()) + ", lane " + std::to_string(thread.lane()) + ")";
}

} // namespace

const char *findingKindName(FindingKind kind) {
  switch (kind) {
  case FindingKind::OutOfBoundsGlobal:
    return "out-of-bounds";
  case FindingKind::MisalignedAccess:
    return "misaligned-access";
  case FindingKind::ReadOnlyWrite:
    return "read-only-write";
  case FindingKind::OutOfWindowShared:
    return "shared-out-of-window";
  case FindingKind::UninitializedShared:
    return "uninitialized-shared";
  case FindingKind::SharedRaceRAW:
    return "shared-race-raw";
  case FindingKind::SharedRaceWAR:
    return "shared-race-war";
  case FindingKind::SharedRaceWAW:
    return "shared-race-waw";
  case FindingKind::SharedRaceSameValue:
    return "shared-race-same-value";
  case FindingKind::GlobalRaceReadWrite:
    return "global-race-read-write";
  case FindingKind::GlobalRaceWriteWrite:
    return "global-race-write-write";
  case FindingKind::GlobalRaceSameValue:
    return "global-race-same-value";
  case FindingKind::DivergentBarrier:
    return "divergent-barrier";
  case FindingKind::WarpOpMissingLane:
    return "warp-op-missing-lane";
  case FindingKind::Deadlock:
    return "deadlock";
  case FindingKind::InvalidOperation:
    return "invalid-operation";
  case FindingKind::AssertFailed:
    return "assert-failed";
  case FindingKind::Trap:
    return "trap";
  case FindingKind::StackOverflow:
    return "stack-overflow";
  case FindingKind::HostFault:
    return "host-fault";
  case FindingKind::KernelException:
    return "kernel-exception";
  case FindingKind::AsyncReadEarly:
    return "async-read-early";
  case FindingKind::AsyncOverwrite:
    return "async-overwrite";
  case FindingKind::AsyncSourceChanged:
    return "async-source-changed";
  case FindingKind::AsyncUnfinished:
    return "async-unfinished";
  case FindingKind::ProxyFenceMissing:
    return "proxy-fence-missing";
  case FindingKind::WgmmaRegisterInUse:
    return "wgmma-register-in-use";
  case FindingKind::WgmmaFenceMissing:
    return "wgmma-fence-missing";
  case FindingKind::WarpgroupDivergence:
    return "warpgroup-divergence";
  case FindingKind::InvalidMbarrier:
    return "invalid-mbarrier";
  case FindingKind::CtaNotRunning:
    return "cta-not-running";
  }
  return "unknown";
}

void FindingSet::merge(FindingSet &&other) {
  for (auto &keyed : other.entries) {
    Entry &entry = keyed.second;
    add(entry.finding, entry.cta, [&] { return std::move(entry.finding.message); });
  }
  other.entries.clear();
}

std::vector<Finding> FindingSet::sorted() && {
  std::vector<Entry> list;
  list.reserve(entries.size());
  for (auto &[key, entry] : entries)
    list.push_back(std::move(entry));
  auto order = [](const Entry &e) {
    return std::make_tuple(!stopsCta(e.finding.kind), e.cta, keyOf(e.finding));
  };
  std::sort(list.begin(), list.end(),
            [&](const Entry &a, const Entry &b) { return order(a) < order(b); });
  std::vector<Finding> result;
  result.reserve(list.size());
  for (Entry &entry : list)
    result.push_back(std::move(entry.finding));
  return result;
}

std::string describeFinding(const Finding &finding, const LaunchConfig &config) {
  std::string text = place(finding.site, config) + ": " + findingKindName(finding.kind) + ": " +
                     finding.message + "\n  in " + threadText(finding.thread);
  if (finding.hasOther)
    text +=
        "\n  other: " + place(finding.otherSite, config) + ", " + threadText(finding.otherThread);
  else if (finding.otherSite >= 0)
    text += "\n  other: " + place(finding.otherSite, config);
  if (finding.count > 1)
    text += "\n  " + std::to_string(finding.count) + " times in all";
  return text;
}

} // namespace tilecrt::sim
