// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One arena holds all arrays, with untouched (and so never allocated) pages between them.

#include "SimulatorRun.h"

#include "tilec/Target/HostJIT.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>

using tilecrt::Result;
using tilecrt::Status;

namespace tilec::tool {

namespace {

constexpr size_t pageBytes = 4096;
/// More programs than this would run for hours.
constexpr uint64_t mostPrograms = uint64_t(1) << 24;
/// Between two arrays, and before the first.
constexpr size_t gapBytes = size_t(1) << 20;

class Arena {
public:
  static Result<Arena> create(const std::vector<RunArray> &arrays) {
    Arena arena;
    size_t bytes = gapBytes;
    std::vector<size_t> offsets;
    for (const RunArray &array : arrays) {
      offsets.push_back(bytes);
      bytes += (array.data.byteSize() + pageBytes - 1) / pageBytes * pageBytes + gapBytes;
    }
    arena.memory.reset(std::aligned_alloc(pageBytes, bytes));
    if (!arena.memory)
      return tilecrt::outOfResources("cannot allocate " + std::to_string(bytes) +
                                     " bytes for the kernel's arrays");
    for (size_t offset : offsets)
      arena.places.push_back(static_cast<char *>(arena.memory.get()) + offset);
    return arena;
  }

  std::vector<uint64_t> addresses() const {
    std::vector<uint64_t> result;
    for (char *place : places)
      result.push_back(reinterpret_cast<uintptr_t>(place));
    return result;
  }
  void copyIn(const std::vector<RunArray> &arrays) {
    for (size_t i = 0; i < arrays.size(); ++i)
      if (arrays[i].data.byteSize() != 0)
        std::memcpy(places[i], arrays[i].data.data(), arrays[i].data.byteSize());
  }
  void copyOut(std::vector<RunArray> &arrays) const {
    for (size_t i = 0; i < arrays.size(); ++i)
      if (arrays[i].data.byteSize() != 0)
        std::memcpy(arrays[i].data.data(), places[i], arrays[i].data.byteSize());
  }

private:
  struct Free {
    void operator()(void *pointer) const { std::free(pointer); }
  };
  std::unique_ptr<void, Free> memory;
  std::vector<char *> places;
};

tilecrt::sim::LaunchConfig makeConfig(const CompiledKernel &kernel, const RunPlan &plan,
                                      const RunCommand &command,
                                      const std::vector<uint64_t> &addresses) {
  tilecrt::sim::LaunchConfig config;
  config.grid = plan.grid;
  config.check = command.check.value_or(true);
  config.counters = command.counters;
  config.maxFindings = 20;
  for (size_t i = 0; i < plan.arrays.size(); ++i) {
    const RunArray &array = plan.arrays[i];
    bool readOnly = llvm::any_of(kernel.metadata.arguments, [&](const auto &argument) {
      return argument.isConst && argument.name == array.name;
    });
    config.buffers.push_back(
        {reinterpret_cast<void *>(addresses[i]), array.data.byteSize(), array.name, readOnly});
  }
  return config;
}

} // namespace

Result<RunOutcome> runOnSimulator(const CompiledKernel &kernel, RunPlan &plan,
                                  const RunCommand &command) {
  // At most 2^31 * 2^16 * 2^16: no overflow.
  uint64_t programs = uint64_t(plan.grid[0]) * plan.grid[1] * plan.grid[2];
  if (programs > mostPrograms)
    return tilecrt::invalidArgument("grid '" + command.grid + "': " + std::to_string(programs) +
                                    " programs; the simulator runs at most " +
                                    std::to_string(mostPrograms));
  Result<Arena> arena = Arena::create(plan.arrays);
  if (!arena.ok())
    return arena.status();
  std::vector<uint64_t> addresses = arena->addresses();
  fillTables(plan.arrays, addresses);
  Result<std::vector<std::vector<char>>> values = encodeArguments(plan, kernel.metadata, addresses);
  if (!values.ok())
    return values.status();
  std::vector<void *> arguments;
  for (std::vector<char> &value : *values)
    arguments.push_back(value.data());

  RunOutcome outcome;
  outcome.device = "simulator";
  outcome.simulated = true;
  tilecrt::sim::LaunchConfig config = makeConfig(kernel, plan, command, addresses);
  outcome.checked = config.check;
  std::vector<double> microseconds;
  for (unsigned i = 0; i < command.repeat.value_or(1); ++i) {
    arena->copyIn(plan.arrays);
    auto start = std::chrono::steady_clock::now();
    tilecrt::sim::LaunchResult launch = simulate(kernel, arguments.data(), config);
    std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    microseconds.push_back(time.count());
    if (launch.status == tilecrt::sim::LaunchStatus::Invalid)
      return tilecrt::invalidArgument("the kernel cannot be launched: " + launch.error);
    if (i == 0)
      outcome.launch = std::move(launch);
  }
  arena->copyOut(plan.arrays);
  outcome.sites = kernel.host->sites();

  std::sort(microseconds.begin(), microseconds.end());
  outcome.time.repeats = unsigned(microseconds.size());
  outcome.time.median = microseconds[microseconds.size() / 2];
  outcome.time.min = microseconds.front();
  for (double time : microseconds)
    outcome.time.mean += time / double(microseconds.size());
  return outcome;
}

} // namespace tilec::tool
