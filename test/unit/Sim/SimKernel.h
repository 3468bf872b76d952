// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels for tests: a lambda run by every simulated thread, and typed wrappers around the ABI that
// a compiled kernel would call.
#ifndef TILEC_TEST_UNIT_SIM_SIMKERNEL_H
#define TILEC_TEST_UNIT_SIM_SIMKERNEL_H

#include "tilecrt/sim/SimAbi.h"
#include "tilecrt/sim/Simulator.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>

namespace tilecrt::sim::test {

constexpr uint32_t allLanes = 0xffffffff;

inline void runLambda(void **args) { (*static_cast<const std::function<void()> *>(args[0]))(); }

/// Launches `kernel` with checking and counters on.
inline LaunchResult run(const LaunchConfig &config, const std::function<void()> &kernel) {
  std::function<void()> copy = kernel;
  void *args[] = {&copy};
  return launch(runLambda, args, config);
}

/// A configuration with `ctas` CTAs of `threads` threads, both in x, and 100 sites
/// "k.tile:<index>:1".
inline LaunchConfig shape(uint32_t ctas, uint32_t threads, uint32_t sharedBytes = 0) {
  static const std::vector<Site> sites = [] {
    std::vector<Site> list;
    for (int line = 0; line < 100; ++line)
      list.push_back({"k.tile", line, 1, ""});
    return list;
  }();
  LaunchConfig config;
  config.grid = {ctas, 1, 1};
  config.block = {threads, 1, 1};
  config.sharedBytes = sharedBytes;
  config.sites = &sites;
  config.counters = true;
  config.hostThreads = 2;
  return config;
}

template <typename T>
void addBuffer(LaunchConfig &config, std::vector<T> &data, const char *name,
               bool readOnly = false) {
  config.buffers.push_back({data.data(), data.size() * sizeof(T), name, readOnly});
}

inline uint32_t tid() { return static_cast<uint32_t>(tilec_sim_tid(0)); }
inline uint32_t cta() { return static_cast<uint32_t>(tilec_sim_ctaid(0)); }
inline uint32_t globalId() { return cta() * static_cast<uint32_t>(tilec_sim_ntid(0)) + tid(); }

template <typename T> T load(const T *from, int32_t site, bool pred = true) {
  T value = {};
  tilec_sim_global_load(from, &value, sizeof(T), pred, site);
  return value;
}

template <typename T> void store(T *to, T value, int32_t site, bool pred = true) {
  tilec_sim_global_store(to, &value, sizeof(T), pred, site);
}

template <typename T> T sharedLoad(uint32_t offset, int32_t site, bool pred = true) {
  T value = {};
  tilec_sim_shared_load(offset, &value, sizeof(T), pred, site);
  return value;
}

template <typename T> void sharedStore(uint32_t offset, T value, int32_t site, bool pred = true) {
  tilec_sim_shared_store(offset, &value, sizeof(T), pred, site);
}

/// The abi::AtomicType of a C++ type.
template <typename T> constexpr int32_t atomicType();
template <> constexpr int32_t atomicType<uint32_t>() { return abi::AtomicI32; }
template <> constexpr int32_t atomicType<int32_t>() { return abi::AtomicI32; }
template <> constexpr int32_t atomicType<uint64_t>() { return abi::AtomicI64; }
template <> constexpr int32_t atomicType<float>() { return abi::AtomicF32; }
template <> constexpr int32_t atomicType<double>() { return abi::AtomicF64; }

template <typename T>
T atomic(int32_t op, T *address, T operand, int32_t site, int32_t order = abi::OrderRelaxed,
         T compare = {}) {
  T old = {};
  tilec_sim_atomic(op, atomicType<T>(), abi::SpaceGlobal, reinterpret_cast<uint64_t>(address),
                   &operand, &compare, &old, order, 1, site);
  return old;
}

template <typename T>
T sharedAtomic(int32_t op, uint32_t offset, T operand, int32_t site, T compare = {}) {
  T old = {};
  tilec_sim_atomic(op, atomicType<T>(), abi::SpaceShared, offset, &operand, &compare, &old,
                   abi::OrderRelaxed, 1, site);
  return old;
}

/// shfl.sync.bfly over the whole warp.
inline uint32_t shuffleXor(uint32_t value, uint32_t distance, int32_t site) {
  return tilec_sim_shfl(abi::ShuffleBfly, allLanes, value, distance, 0x1f, nullptr, site);
}

/// All findings in words, for failure messages and for comparing runs.
inline std::string describe(const LaunchResult &result, const LaunchConfig &config) {
  std::string text = result.error;
  for (const Finding &finding : result.findings)
    text += "\n" + describeFinding(finding, config);
  return text;
}

inline const Finding *find(const LaunchResult &result, FindingKind kind) {
  for (const Finding &finding : result.findings)
    if (finding.kind == kind)
      return &finding;
  return nullptr;
}

#define EXPECT_CLEAN(result, config)                                                               \
  EXPECT_TRUE((result).clean()) << ::tilecrt::sim::test::describe(result, config)

} // namespace tilecrt::sim::test

#endif // TILEC_TEST_UNIT_SIM_SIMKERNEL_H
