// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums and comparison of counters, from one list of their fields.
#include "tilecrt/sim/Simulator.h"

namespace tilecrt::sim {
namespace {

constexpr uint64_t Counters::*counterFields[] = {&Counters::globalLoadRequests,
                                                 &Counters::globalStoreRequests,
                                                 &Counters::globalLoadSectors,
                                                 &Counters::globalStoreSectors,
                                                 &Counters::globalLoadIdealSectors,
                                                 &Counters::globalStoreIdealSectors,
                                                 &Counters::globalLoadBytes,
                                                 &Counters::globalStoreBytes,
                                                 &Counters::globalLoadLanes,
                                                 &Counters::globalStoreLanes,
                                                 &Counters::globalLoadMaskedLanes,
                                                 &Counters::globalStoreMaskedLanes,
                                                 &Counters::sharedLoadRequests,
                                                 &Counters::sharedStoreRequests,
                                                 &Counters::sharedLoadWavefronts,
                                                 &Counters::sharedStoreWavefronts,
                                                 &Counters::sharedLoadIdealWavefronts,
                                                 &Counters::sharedStoreIdealWavefronts,
                                                 &Counters::sharedLoadBytes,
                                                 &Counters::sharedStoreBytes,
                                                 &Counters::shuffles,
                                                 &Counters::votes,
                                                 &Counters::reduxes,
                                                 &Counters::barriers,
                                                 &Counters::warpBarriers,
                                                 &Counters::fences,
                                                 &Counters::globalAtomics,
                                                 &Counters::sharedAtomics,
                                                 &Counters::mmas,
                                                 &Counters::wgmmas,
                                                 &Counters::multiplyAdds,
                                                 &Counters::asyncCopies,
                                                 &Counters::bulkLoads,
                                                 &Counters::bulkStores,
                                                 &Counters::bulkLoadBytes,
                                                 &Counters::bulkStoreBytes,
                                                 &Counters::mbarrierArrivals,
                                                 &Counters::mbarrierWaits};

static_assert(sizeof(Counters) ==
                  sizeof(counterFields) / sizeof(counterFields[0]) * sizeof(uint64_t) +
                      sizeof(Counters::instructions),
              "a counter is missing from the list of counterFields");

} // namespace

Counters &Counters::operator+=(const Counters &other) {
  for (auto field : counterFields)
    this->*field += other.*field;
  for (size_t i = 0; i < instructions.size(); ++i)
    instructions[i] += other.instructions[i];
  return *this;
}

bool Counters::operator==(const Counters &other) const {
  for (auto field : counterFields)
    if (this->*field != other.*field)
      return false;
  return instructions == other.instructions;
}

} // namespace tilecrt::sim
