// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor maps that the program encodes. The copy engine may use one only behind a proxy fence of
// the thread that starts the copy, and reads it as late as the copy lands.
#include "runtime/sim/Cluster.h"

namespace tilecrt::sim {

TensorMap *Cluster::tensorMaps(Thread &t, int32_t count) {
  EncodedMaps &encoded = t.cta->encoded;
  if (encoded.maps.empty()) {
    encoded.maps.resize(static_cast<size_t>(count));
    encoded.acquired.resize(static_cast<size_t>(count));
    encoded.sites.resize(static_cast<size_t>(count), -1);
  }
  return encoded.maps.data();
}

void Cluster::encodeTensorMap(Thread &t, uint64_t place, const TensorMapFields &fields,
                              int32_t site) {
  step(t, site);
  EncodedMaps &encoded = t.cta->encoded;
  auto *map = reinterpret_cast<TensorMap *>(place);
  std::optional<size_t> slot = encoded.find(map);
  if (!slot)
    return report(t, FindingKind::InvalidOperation, site,
                  "a tensor map is encoded where there is no memory for it");
  int32_t user = -1;
  for (const BulkLoad &load : async.bulkLoads)
    if (load.box.map == map)
      user = load.site;
  for (const BulkQueue &queue : async.bulkStores)
    for (const BulkStore &store : queue.stores)
      if (store.box.map == map)
        user = store.site;
  if (user >= 0) {
    Finding finding = findingAt(t, FindingKind::InvalidOperation, site);
    finding.otherSite = user;
    add(finding,
        [] { return std::string("a tensor map is encoded anew while a copy by it is in flight"); });
  }
  std::string problem = sim::encodeTensorMap(fields, *map, /*allowsEmpty=*/true);
  if (!problem.empty())
    report(t, FindingKind::InvalidOperation, site, problem);
  encoded.acquired[*slot].assign(threads.size(), false);
  encoded.sites[*slot] = site;
}

void Cluster::acquireTensorMaps(Thread &t) {
  for (std::vector<bool> &acquired : t.cta->encoded.acquired)
    if (!acquired.empty())
      acquired[t.index] = true;
}

void Cluster::checkTensorMap(Thread &t, const void *map, int32_t site) {
  const EncodedMaps &encoded = t.cta->encoded;
  std::optional<size_t> slot = encoded.find(map);
  if (!slot || encoded.acquired[*slot].empty() || encoded.acquired[*slot][t.index])
    return;
  Finding finding = findingAt(t, FindingKind::ProxyFenceMissing, site);
  finding.otherSite = encoded.sites[*slot];
  add(finding, [] {
    return std::string("copy by a tensor map that was encoded with no proxy fence since");
  });
}

} // namespace tilecrt::sim
