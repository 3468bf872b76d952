// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The occupancy arithmetic: registers are given out per warp in units of 256, shared memory per CTA
// with a kilobyte for the system on top.

#include "tilec/Target/Occupancy.h"

#include <algorithm>

namespace tilec {

static constexpr int kWarp = 32, kRegisterUnit = 8, kMaxRegisters = 255;
/// With so many threads resident, one CTA more is measured to bring nothing.
static constexpr int kEnoughThreads = 1024;

Multiprocessor multiprocessorOf(int computeCapability) {
  constexpr int kilobyte = 1024;
  switch (computeCapability) {
  case 70:
    return {65536, 2048, 32, 96 * kilobyte};
  case 75:
    return {65536, 1024, 16, 64 * kilobyte};
  case 80:
    return {65536, 2048, 32, 164 * kilobyte};
  case 86:
    return {65536, 1536, 16, 100 * kilobyte};
  case 87:
    return {65536, 1536, 16, 164 * kilobyte};
  case 89:
    return {65536, 1536, 24, 100 * kilobyte};
  case 90:
  case 100:
  case 103:
    return {65536, 2048, 32, 228 * kilobyte};
  default:
    return {65536, 1536, 16, 100 * kilobyte};
  }
}

/// Registers per thread that a CTA may take for `ctas` of it to fit.
static int registersFor(const Multiprocessor &sm, int threads, int ctas) {
  return sm.registers / (ctas * threads) / kRegisterUnit * kRegisterUnit;
}

int residentCtas(const Multiprocessor &sm, const CtaFootprint &cta) {
  int threads = (cta.threads + kWarp - 1) / kWarp * kWarp;
  int perThread = (cta.registersPerThread + kRegisterUnit - 1) / kRegisterUnit * kRegisterUnit;
  int fit = std::min(sm.ctas, sm.threads / std::max(threads, kWarp));
  fit = std::min(fit, sm.registers / std::max(1, perThread * threads));
  return std::min(fit, sm.sharedBytes / (cta.sharedBytes + 1024));
}

std::optional<int> ctasWithinReach(const Multiprocessor &sm, const CtaFootprint &cta, int percent) {
  CtaFootprint free = cta;
  free.registersPerThread = kRegisterUnit;
  int now = residentCtas(sm, cta), limit = residentCtas(sm, free);
  if (now < 1 || now >= limit || now * cta.threads >= kEnoughThreads)
    return std::nullopt;
  int needed = std::min(kMaxRegisters, registersFor(sm, cta.threads, now + 1));
  if (needed * 100 < cta.registersPerThread * (100 - percent))
    return std::nullopt;
  return now + 1;
}

} // namespace tilec
