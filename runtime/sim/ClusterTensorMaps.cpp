// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor maps that the program encodes. The copy engine may use one only behind a proxy fence of
// the thread that starts the copy, and reads it as late as the copy lands.
#include "runtime/sim/Cluster.h"

namespace tilecrt::sim {

TensorMap *Cluster::tensorMaps(Thread &t, int32_t count) {
  EncodedMaps &encoded = t.cta->encoded;
  if (encoded.memory.empty()) {
    encoded.memory.resize(static_cast<size_t>(count));
    encoded.maps.resize(static_cast<size_t>(count));
  }
  return encoded.memory.data();
}

int32_t Cluster::copyInFlight(const void *map) const {
  for (const BulkLoad &load : async.bulkLoads)
    if (load.box.map == map)
      return load.site;
  for (const BulkQueue &queue : async.bulkStores)
    for (const BulkStore &store : queue.stores)
      if (store.box.map == map)
        return store.site;
  return -1;
}

void Cluster::encodeTensorMap(Thread &t, uint64_t place, const TensorMapFields &fields,
                              int32_t site) {
  step(t, site);
  auto *map = reinterpret_cast<TensorMap *>(place);
  EncodedMap *encoded = t.cta->encoded.find(map);
  if (!encoded)
    return report(t, FindingKind::InvalidOperation, site,
                  "a tensor map is encoded where there is no memory for it");
  // Who encodes has met who started the last copy, behind the wait for it.
  bool isOrdered = encoded->useSite < 0 || encoded->user == t.warp->index ||
                   clocks[t.warp->index].warpOrdered(encoded->user, encoded->useClock);
  int32_t user = isOrdered ? copyInFlight(map) : encoded->useSite;
  if (user >= 0) {
    Finding finding = findingAt(t, FindingKind::InvalidOperation, site);
    finding.otherSite = user;
    add(finding, [] {
      return std::string("a tensor map is encoded anew while a copy by it may be in flight");
    });
  }
  std::string problem = sim::encodeTensorMap(fields, *map, /*allowsEmpty=*/true);
  if (!problem.empty())
    report(t, FindingKind::InvalidOperation, site, problem);
  encoded->acquired.assign(threads.size(), false);
  encoded->site = site;
}

void Cluster::acquireTensorMap(Thread &t, const void *map, int32_t site) {
  step(t, site);
  if (Counters *counters = countersOf(site))
    ++counters->fences;
  EncodedMap *encoded = t.cta->encoded.find(map);
  if (encoded && !encoded->acquired.empty())
    encoded->acquired[t.index] = true;
}

void Cluster::releaseTensorMaps(Thread &t, int32_t site) {
  step(t, site);
  for (const TensorMap &map : t.cta->encoded.memory)
    if (int32_t user = copyInFlight(&map); user >= 0) {
      Finding finding = findingAt(t, FindingKind::InvalidOperation, site);
      finding.otherSite = user;
      add(finding, [] {
        return std::string(
            "the memory of a tensor map is given back while a copy by it is in flight");
      });
    }
}

void Cluster::useTensorMap(Thread &t, const void *map, int32_t site) {
  EncodedMap *encoded = t.cta->encoded.find(map);
  if (!encoded)
    return;
  encoded->user = t.warp->index;
  encoded->useClock = clocks[t.warp->index].now();
  encoded->useSite = site;
  if (encoded->acquired.empty() || encoded->acquired[t.index])
    return;
  Finding finding = findingAt(t, FindingKind::ProxyFenceMissing, site);
  finding.otherSite = encoded->site;
  add(finding, [] {
    return std::string("copy by a tensor map that was encoded with no proxy fence since");
  });
}

} // namespace tilecrt::sim
