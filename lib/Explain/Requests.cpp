// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tensor's access is one or several instructions, which have sites of their own at the same place
// of the source: the one whose sample has the most lanes stands for them.

#include "Counters.h"

#include "llvm/ADT/bit.h"

using namespace tilecrt::sim;

namespace tilec::explain {

namespace {

constexpr uint64_t lineBytes = 128;

bool isSame(const CallPlace &a, const CallPlace &b) {
  return a.line == b.line && a.col == b.col && a.file == b.file;
}

/// Whether a site is at these places: it may know less of the calls around it.
bool isAt(const Site &site, const SourcePlaces &places) {
  if (places.size() <= site.callers.size() ||
      !isSame({site.file, site.line, site.col}, places.front()))
    return false;
  for (size_t i = 0; i < site.callers.size(); ++i)
    if (!isSame(site.callers[i], places[i + 1]))
      return false;
  return true;
}

AccessKind kindOf(const TensorAccess &access) {
  return access.kind == "load"    ? AccessKind::GlobalLoad
         : access.kind == "store" ? AccessKind::GlobalStore
                                  : AccessKind::GlobalAtomic;
}

AccessRequest describe(const SampledRequest &sample) {
  AccessRequest request;
  request.program = sample.thread.cta;
  request.warp = int(sample.thread.warp());
  request.buffer = sample.buffer;
  uint64_t lowest = UINT64_MAX;
  for (size_t lane = 0; lane < request.lanes.size(); ++lane)
    if (sample.active >> lane & 1)
      lowest = std::min(lowest, sample.address[lane]);
  lowest -= lowest % lineBytes;
  request.begin = int64_t(lowest - sample.bufferBegin);
  for (size_t lane = 0; lane < request.lanes.size(); ++lane)
    if (sample.active >> lane & 1)
      request.lanes[lane] = {int64_t(sample.address[lane] - lowest), int(sample.bytes[lane])};
  return request;
}

} // namespace

void collectRequests(const CountedLaunch &launch, const std::vector<SourcePlaces> &places,
                     Report &report) {
  const LaunchResult &result = *launch.result;
  if (result.sampledRequests.size() < launch.sites->size())
    return;
  for (auto [tensor, stands] : llvm::zip(report.tensors, places)) {
    if (!tensor.access)
      continue;
    const SampledRequest *best = nullptr;
    Counters all;
    for (auto [i, site] : llvm::enumerate(*launch.sites)) {
      const SampledRequest &sample = result.sampledRequests[i];
      if (sample.kind != kindOf(*tensor.access) || !isAt(site, stands))
        continue;
      all += result.siteCounters[i];
      if (!best || llvm::popcount(sample.active) > llvm::popcount(best->active))
        best = &sample;
    }
    if (!best)
      continue;
    AccessRequest &request = tensor.access->request.emplace(describe(*best));
    uint64_t requests = all.globalLoadRequests + all.globalStoreRequests;
    request.requests = uint64_t(double(requests) * launch.scale + 0.5);
    if (requests != 0)
      request.meanSectors =
          double(all.globalLoadSectors + all.globalStoreSectors) / double(requests);
  }
}

} // namespace tilec::explain
