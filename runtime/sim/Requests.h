// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts the memory accesses of single lanes together into the requests of a warp.
//
// The lanes of a warp run one after another, so the k-th execution of a site by each lane is
// matched to one request; it is complete when every running lane has arrived. A queue for each site
// and kind holds the requests that wait for lanes. At a warp-wide synchronisation what still waits
// is handed out as it is: lanes that took another way will not come.
#ifndef TILEC_RUNTIME_SIM_REQUESTS_H
#define TILEC_RUNTIME_SIM_REQUESTS_H

#include "runtime/sim/HappensBefore.h"
#include <memory>
#include <vector>

namespace tilecrt::sim {

enum class RequestKind : uint8_t { GlobalLoad, GlobalStore, SharedLoad, SharedStore, GlobalAtomic };
constexpr unsigned numRequestKinds = 5;

/// One warp-wide memory instruction.
struct Request {
  uint32_t arrived = 0;   ///< Lanes that executed it.
  uint32_t active = 0;    ///< Of those, the lanes that really accessed memory.
  uint32_t syncEpoch = 0; ///< Synchronising atomics the cluster had performed by the first lane.
  std::array<uint64_t, warpSize> address;
  std::array<uint32_t, warpSize> laneClock;
  std::array<uint32_t, warpSize> valueHash; ///< Of stores, with race checking.
  std::array<uint8_t, warpSize> bytes;
};

/// The pending requests of one site and kind in one warp.
class RequestQueue {
public:
  RequestQueue(uint32_t siteIndex, RequestKind requestKind) : site(siteIndex), kind(requestKind) {}

  const uint32_t site;
  const RequestKind kind;
  bool listed = false; ///< In its warp's list of queues to flush.

  /// The request that the next execution by `lane` belongs to.
  Request &next(unsigned lane) {
    if (arrivals[lane] < base)
      arrivals[lane] = base;
    uint32_t position = arrivals[lane]++ - base;
    if (position >= pending)
      append();
    return ring[(head + position) & (ring.size() - 1)];
  }

  size_t size() const { return pending; }
  Request &front() { return ring[head]; }
  void pop() {
    head = (head + 1) & (ring.size() - 1);
    --pending;
    ++base;
  }

  /// How many requests `lane` is ahead of the slowest lane.
  uint32_t ahead(unsigned lane) const { return arrivals[lane] > base ? arrivals[lane] - base : 0; }

  /// With nothing pending: lets all lanes meet again at the next request.
  void realign() { arrivals.fill(base); }

private:
  void append();

  std::array<uint32_t, warpSize> arrivals = {};
  uint32_t base = 0; ///< Number of the request at the front.
  std::vector<Request> ring;
  size_t head = 0, pending = 0;
};

/// The queues of one warp, by site and kind, made when first used.
class WarpRequests {
public:
  explicit WarpRequests(uint32_t siteCount) : queues(size_t(siteCount) * numRequestKinds) {}

  RequestQueue &queue(uint32_t site, RequestKind kind) {
    std::unique_ptr<RequestQueue> &slot = queues[site * numRequestKinds + size_t(kind)];
    if (!slot)
      slot = std::make_unique<RequestQueue>(site, kind);
    if (!slot->listed) {
      slot->listed = true;
      used.push_back(slot.get());
    }
    return *slot;
  }

  /// Hands every pending request to `retire(queue, request)` in the order in which the sites were
  /// first used.
  template <typename Retire> void flush(const Retire &retire) {
    for (RequestQueue *q : used) {
      for (; q->size() != 0; q->pop())
        retire(*q, q->front());
      q->realign();
      q->listed = false;
    }
    used.clear();
  }

private:
  std::vector<std::unique_ptr<RequestQueue>> queues;
  std::vector<RequestQueue *> used;
};

/// How often the second cache updates a sector for a request of atomics: neighbouring addresses
/// together, one that several lanes meet at once for each.
uint32_t atomicCost(const Request &request);

/// What a global request costs.
struct GlobalCost {
  uint32_t sectors = 0, idealSectors = 0;
  uint64_t bytes = 0;
};
GlobalCost globalCost(const Request &request);

/// What a shared request costs: wavefronts, with 32 banks of 4 bytes, in phases of as many lanes as
/// make up 128 bytes; lanes that want the same word share it.
struct SharedCost {
  uint32_t wavefronts = 0, idealWavefronts = 0;
  uint64_t bytes = 0;
};
SharedCost sharedCost(const Request &request);

} // namespace tilecrt::sim

#endif // TILEC_RUNTIME_SIM_REQUESTS_H
