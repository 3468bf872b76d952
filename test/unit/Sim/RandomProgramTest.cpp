// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random small programs of accesses and barriers, in shared and in global memory: the simulator
// must report a race exactly when a vector clock for each single thread, compared for all pairs of
// accesses, says that there is one.
#include "SimKernel.h"

#include <random>

namespace tilecrt::sim::test {
namespace {

constexpr uint32_t numThreads = 96, memoryBytes = 32;

struct Step {
  enum Kind { Access, Atomic, CtaBarrier, WarpBarrier, HalfBarrier, NamedBarrier } kind;
  uint32_t thread = 0, offset = 0, bytes = 0; // Accesses.
  bool write = false;
};

/// A random program. Partial synchronisation only on request: there the simulator may miss races.
std::vector<Step> makeProgram(std::mt19937 &random, bool partial) {
  auto below = [&](uint32_t n) {
    return std::uniform_int_distribution<uint32_t>(0, n - 1)(random);
  };
  std::vector<Step> program;
  for (uint32_t i = 0, n = 3 + below(14); i < n; ++i) {
    Step step;
    uint32_t choice = below(10);
    step.kind = choice < 6    ? Step::Access
                : choice == 6 ? Step::Atomic
                : choice == 7 ? Step::CtaBarrier
                : choice == 8 ? Step::WarpBarrier
                : !partial    ? Step::WarpBarrier
                : below(2)    ? Step::HalfBarrier
                              : Step::NamedBarrier;
    // Few threads, so that they meet: two lanes each of the three warps.
    step.thread = below(3) * 32 + below(2) * 20;
    step.bytes = step.kind == Step::Atomic ? 4 : 1u << below(4);
    step.offset = below(memoryBytes / step.bytes) * step.bytes;
    step.write = below(2) != 0;
    program.push_back(step);
  }
  return program;
}

using Clock = std::vector<uint32_t>;

void synchronize(std::vector<Clock> &clocks, uint32_t first, uint32_t last) {
  Clock joined(numThreads);
  for (uint32_t t = first; t < last; ++t)
    for (uint32_t i = 0; i < numThreads; ++i)
      joined[i] = std::max(joined[i], clocks[t][i]);
  for (uint32_t t = first; t < last; ++t) {
    clocks[t] = joined;
    ++clocks[t][t];
  }
}

/// Whether any two accesses race. Warps 0 and 1 meet at the named barrier.
bool races(const std::vector<Step> &program) {
  std::vector<Clock> clocks(numThreads, Clock(numThreads, 0));
  for (uint32_t t = 0; t < numThreads; ++t)
    clocks[t][t] = 1;
  std::vector<std::pair<Step, Clock>> past;
  bool found = false;
  for (const Step &step : program) {
    switch (step.kind) {
    case Step::CtaBarrier:
      synchronize(clocks, 0, numThreads);
      continue;
    case Step::NamedBarrier:
      synchronize(clocks, 0, 64);
      continue;
    case Step::WarpBarrier:
      for (uint32_t warp = 0; warp < 3; ++warp)
        synchronize(clocks, warp * 32, warp * 32 + 32);
      continue;
    case Step::HalfBarrier:
      for (uint32_t half = 0; half < 6; ++half)
        synchronize(clocks, half * 16, half * 16 + 16);
      continue;
    default:
      break;
    }
    for (const auto &[other, clock] : past) {
      bool apart = step.offset + step.bytes <= other.offset ||
                   other.offset + other.bytes <= step.offset || step.thread == other.thread;
      bool bothAtomic = step.kind == Step::Atomic && other.kind == Step::Atomic;
      bool writes =
          step.write || other.write || step.kind == Step::Atomic || other.kind == Step::Atomic;
      bool ordered = clocks[step.thread][other.thread] >= clock[other.thread];
      found |= !apart && !bothAtomic && writes && !ordered;
    }
    past.push_back({step, clocks[step.thread]});
  }
  return found;
}

void runStep(const Step &step, char *global, int32_t site) {
  switch (step.kind) {
  case Step::CtaBarrier:
    return tilec_sim_barrier(0, 0, site);
  case Step::NamedBarrier:
    return tid() < 64 ? tilec_sim_barrier(1, 64, site) : void();
  case Step::WarpBarrier:
    return tilec_sim_warp_barrier(allLanes, site);
  case Step::HalfBarrier:
    return tilec_sim_warp_barrier(tid() % 32 < 16 ? 0x0000ffff : 0xffff0000, site);
  default:
    break;
  }
  if (tid() != step.thread)
    return;
  char value[8] = {char(site), 1, 2, 3, 4, 5, 6, 7};
  int32_t bytes = static_cast<int32_t>(step.bytes);
  if (step.kind == Step::Atomic) {
    uint64_t address = global ? reinterpret_cast<uint64_t>(global + step.offset) : step.offset;
    tilec_sim_atomic(abi::AtomicAdd, abi::AtomicI32, global ? abi::SpaceGlobal : abi::SpaceShared,
                     address, value, nullptr, nullptr, abi::OrderRelaxed, 1, site);
  } else if (global && step.write) {
    tilec_sim_global_store(global + step.offset, value, bytes, 1, site);
  } else if (global) {
    tilec_sim_global_load(global + step.offset, value, bytes, 1, site);
  } else if (step.write) {
    tilec_sim_shared_store(step.offset, value, bytes, 1, site);
  } else {
    tilec_sim_shared_load(step.offset, value, bytes, 1, site);
  }
}

LaunchResult runProgram(const std::vector<Step> &program, bool global) {
  alignas(16) char memory[memoryBytes] = {};
  LaunchConfig config = shape(1, numThreads, memoryBytes);
  config.hostThreads = 1;
  config.buffers.push_back({memory, sizeof(memory), "memory", false});
  return run(config, [&] {
    // All of shared memory is written first: reads of unwritten bytes are another test's subject.
    if (tid() < memoryBytes / 4)
      sharedStore<uint32_t>(tid() * 4, 0, 99);
    tilec_sim_barrier(0, 0, 98);
    for (size_t i = 0; i < program.size(); ++i)
      runStep(program[i], global ? memory : nullptr, static_cast<int32_t>(i));
  });
}

std::string show(const std::vector<Step> &program) {
  const char *names[] = {"access", "atomic", "cta", "warp", "half", "named"};
  std::string text;
  for (const Step &step : program)
    text += std::string("\n  ") + names[step.kind] + " thread " + std::to_string(step.thread) +
            " offset " + std::to_string(step.offset) + " bytes " + std::to_string(step.bytes) +
            (step.write ? " write" : "");
  return text;
}

void testPrograms(bool partial, bool global) {
  uint32_t seed = std::random_device{}();
  ::testing::Test::RecordProperty("seed", std::to_string(seed));
  std::mt19937 random(seed);
  unsigned racy = 0;
  for (int i = 0; i < 400; ++i) {
    std::vector<Step> program = makeProgram(random, partial);
    bool expected = races(program);
    racy += expected;
    LaunchResult result = runProgram(program, global);
    ASSERT_EQ(result.status, LaunchStatus::Completed);
    if (partial && expected)
      continue;
    ASSERT_EQ(!result.findings.empty(), expected)
        << "seed " << seed << ", program " << i << show(program);
  }
  EXPECT_GT(racy, 20u);
  EXPECT_LT(racy, 380u);
}

TEST(SimRandomProgram, shared_races_are_exact) { testPrograms(false, false); }
TEST(SimRandomProgram, global_races_are_exact) { testPrograms(false, true); }
TEST(SimRandomProgram, no_false_shared_race_with_partial_barriers) { testPrograms(true, false); }
TEST(SimRandomProgram, no_false_global_race_with_partial_barriers) { testPrograms(true, true); }

} // namespace
} // namespace tilecrt::sim::test
