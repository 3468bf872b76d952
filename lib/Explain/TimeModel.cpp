// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The weights of the model, and what follows from them.

#include "tilec/Explain/TimeModel.h"

#include "tilecrt/sim/SimAbi.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using tilecrt::sim::Counters;
namespace abi = tilecrt::sim::abi;

namespace tilec::explain {

namespace {

/// A multiprocessor issues so many instructions of warps in a cycle, and moves so many bytes
/// between its threads and shared memory or the first cache.
constexpr double kIssuePerCycle = 4, kBytesPerCycle = 128;
constexpr double kWarp = 32, kSectorBytes = 32;
/// What the simulator takes for loaded just before.
constexpr double kReloadBytes = 64 * 1024;
/// An atomic reads and writes its sector in the second cache.
constexpr double kAtomicBytes = 64;

/// Issue slots of an instruction of LLVM's, by class. Integer arithmetic is mostly addresses, of
/// which half disappears in addressing modes and wide additions; special functions have a few
/// instructions around them.
constexpr double kSlots[abi::NumInstructionClasses] = {0.6, 1, 3, 1, 1, 1, 1, 0, 0.6};
/// Cycles of a multiprocessor for a special function of a warp: 16 lanes compute them.
constexpr double kSpecialCycles = 2;
/// The same for a multiplication of integers of 32 bits: 64 lanes.
constexpr double kMultiplyCycles = 0.5;

/// mma.sync reaches that part of what wgmma does.
constexpr double kWarpDotRate = 0.62;
/// Power and the ends of loops leave that of the tensor cores' peak.
constexpr double kTensorRate = 0.75;

/// A multiprocessor gets so many times its share of the second cache while others have no program.
constexpr double kAloneRate = 1.6;
/// Asynchronous copies get that much more out of the second cache than loads of threads.
constexpr double kCopyRate = 2.1;
/// The part of the second cache that is full of what others have written, and has to be written
/// back before it is free; and what is left there in the end, for others to write back.
constexpr double kDirtyPart = 0.9;

/// Cycles from one instruction of a warp to the next one that needs its result, for the mixture of
/// dependent and independent ones that kernels have; for a barrier of a CTA.
constexpr double kCyclesBetween = 1.5, kBarrierCycles = 30, kShuffleCycles = 24;

/// Microseconds that a program takes besides what it does: its threads begin, and its last stores
/// are on their way.
constexpr double kProgramStart = 0.2;
/// Nothing is in a cache when a kernel begins: not its code, nor its first data.
constexpr double kColdLatencies = 2;

/// Of the number of waves.
constexpr double kRounding = 1e-9;

/// CTAs that begin on a multiprocessor in a microsecond.
constexpr double kCtasPerMicrosecond = 12;

/// Atomics of integers and of floats that one address takes in a microsecond, and those that all
/// addresses of a line of 128 bytes take.
constexpr double kIntegersPerMicrosecond = 1360, kFloatsPerMicrosecond = 570;
constexpr double kLineAtomicsPerMicrosecond = 7000;
/// An atomic of floats takes as long as so many of integers.
constexpr double kFloatAtomic = kIntegersPerMicrosecond / kFloatsPerMicrosecond;
/// Wavefronts of an atomic of one thread in shared memory: some of a warp's meet in a bank.
constexpr double kSharedAtomic = 0.4;

/// Units overlap, but not fully: terms are joined by the norm of this order.
constexpr double kNorm = 4;

/// As many atomics of integers as would take as long.
double serialised(const tilecrt::sim::SerialAtomics &atomics) {
  return std::max(double(atomics.integers), double(atomics.floats) * kFloatAtomic);
}

double warpSlots(const Counters &counters) {
  double slots = 0;
  for (size_t i = 0; i < counters.instructions.size(); ++i)
    slots += kSlots[i] * double(counters.instructions[i]) / kWarp;
  // A warp's shuffle takes the path to shared memory, too.
  return slots + double(counters.shuffles + counters.votes + counters.reduxes);
}

double cacheBytes(const Counters &counters) {
  return kSectorBytes * double(counters.globalLoadSectors + counters.globalStoreSectors) +
         kAtomicBytes * double(counters.globalAtomics) +
         double(counters.bulkLoadBytes + counters.bulkStoreBytes);
}

/// Cycles of the path between threads and shared memory or the first cache.
double wavefronts(const Counters &counters) {
  return double(counters.sharedLoadWavefronts + counters.sharedStoreWavefronts) +
         double(counters.shuffles) + kSharedAtomic * double(counters.sharedAtomics) +
         double(counters.globalLoadSectors + counters.globalStoreSectors) * kSectorBytes /
             kBytesPerCycle;
}

/// Operations of tensor cores, as many as wgmma would take the time of.
double tensorOps(const Counters &counters) {
  double ops = 2.0 * double(counters.multiplyAdds);
  double groups = double(counters.wgmmas), warps = double(counters.mmas);
  // Instructions of one kind are the rule. One of a warp does less than one of a group.
  return warps > 0 && groups == 0 ? ops / kWarpDotRate : ops;
}

class Predictor {
public:
  Predictor(const LaunchWork &launch, const GpuLimits &limits) : work(launch), gpu(limits) {
    // Multiprocessors without a CTA do nothing.
    multiprocessors = std::max(1.0, std::min(double(gpu.multiprocessors), work.ctas));
    waves = work.ctas / (double(gpu.multiprocessors) * std::max(1, work.residentCtas));
  }

  Time run() {
    addUnits();
    double joined = 0, largest = 0;
    for (const TimeTerm &term : time.terms) {
      joined += std::pow(term.time, kNorm);
      if (term.time > largest) {
        largest = term.time;
        time.bound = term.name;
      }
    }
    time.predicted = std::pow(joined, 1 / kNorm);
    addTail(largest);
    double launch = gpu.launchTime + kColdLatencies * gpu.latency;
    add("launch", launch, true, 1, "launches", 1 / launch,
        "an empty kernel, and the latency of memory for the first code and data");
    for (const TimeTerm &term : time.terms) {
      if (!term.isAdded)
        continue;
      time.predicted += term.time;
      if (term.time > largest) {
        largest = term.time;
        time.bound = term.name;
      }
    }
    return std::move(time);
  }

private:
  void add(const char *name, double microseconds, bool isAdded, double amount, const char *unit,
           double limit, std::string how) {
    time.terms.push_back({name, microseconds, isAdded, amount, unit, limit, std::move(how)});
  }
  /// A unit that every multiprocessor has.
  void addUnit(const char *name, double amount, const char *unit, double perCycle,
               std::string how) {
    double limit = perCycle * gpu.cyclesPerMicrosecond() * multiprocessors;
    add(name, amount / limit, false, amount, unit, limit, std::move(how));
  }
  void addMemory();
  void addUnits();
  void addTail(double largest);
  double programTime() const;
  double firstCacheShare() const;

  const LaunchWork &work;
  const GpuLimits &gpu;
  double multiprocessors, waves;
  Time time;
};

} // namespace

/// How long a CTA takes that is alone: what its warps wait for, one after the other.
double Predictor::programTime() const {
  double warps = work.ctas * std::max(1.0, std::ceil(work.threadsPerCta / kWarp));
  double instructions = warpSlots(work.counters) / warps;
  double cycles = instructions * kCyclesBetween +
                  double(work.counters.barriers) / warps * kBarrierCycles +
                  double(work.counters.shuffles + work.counters.reduxes) / warps * kShuffleCycles;
  double rounds = work.loadRounds + work.copyRounds / std::max(1.0, work.copiesAhead);
  return kProgramStart + cycles / gpu.cyclesPerMicrosecond() + rounds * gpu.latency;
}

/// How much of what CTAs load is still in the first cache when they load it again: it is as large
/// as shared memory, without what of that is in use, and all CTAs there are at a time have it
/// together.
double Predictor::firstCacheShare() const {
  double resident = std::min(double(std::max(1, work.residentCtas)), work.ctas / multiprocessors);
  double fresh = double(work.counters.globalLoadSectors) - work.reloadedSectors;
  double needed = resident * std::min(kReloadBytes, kSectorBytes * fresh / work.ctas);
  double size = double(gpu.facts().sharedBytes) - resident * work.sharedBytes;
  return needed > 0 ? std::clamp(size / needed, 0.0, 1.0) : 1;
}

void Predictor::addMemory() {
  const Counters &c = work.counters;
  double touched = work.readBytes + work.writtenBytes, dirty = kDirtyPart * gpu.cacheBytes;
  double bytes = touched + std::min(dirty, touched) - std::min(dirty, work.writtenBytes);
  add("memory", bytes / (gpu.attainedBandwidth * 1e3), false, bytes, "bytes",
      gpu.attainedBandwidth * 1e3,
      "different bytes of global memory and what the second cache writes back for them, at what a "
      "copy reaches");
  double copied = kSectorBytes * work.copiedSectors + double(c.bulkLoadBytes + c.bulkStoreBytes);
  double loaded = cacheBytes(c) - copied -
                  kSectorBytes * (work.sharedSectors + work.reloadedSectors * firstCacheShare()) -
                  kAtomicBytes * work.mergedAtomics;
  double cached = std::max(0.0, loaded) + copied / kCopyRate;
  double limit = gpu.facts().cacheBytesPerMicrosecond *
                 std::min(double(gpu.multiprocessors), multiprocessors * kAloneRate);
  add("cache", cached / limit, false, cached, "bytes", limit,
      "sectors of requests that the first cache does not have, and asynchronous copies at twice "
      "the rate");
}

void Predictor::addUnits() {
  addMemory();
  const Counters &c = work.counters;
  double tensorLimit =
      tensorOpsPerMicrosecond(gpu.facts(), work.operandBits) * multiprocessors * kTensorRate;
  double ops = tensorOps(c);
  add("tensor", ops / tensorLimit, false, ops, "operations", tensorLimit,
      "operations of the dots, at what the tensor cores keep up");
  double special = double(c.instructions[abi::ClassSpecial]) / kWarp * kSpecialCycles;
  double multiply = double(c.instructions[abi::ClassMultiply]) / kWarp * kMultiplyCycles;
  addUnit("issue", std::max({warpSlots(c), special * kIssuePerCycle, multiply * kIssuePerCycle}),
          "issue slots", kIssuePerCycle,
          "instructions of warps, weighted by class; special functions and multiplications of "
          "integers have fewer lanes");
  addUnit("shared", wavefronts(c) + work.spillWavefronts, "wavefronts", 1,
          "wavefronts of shared memory and the first cache, spilled registers included");
  double atomics =
      std::max({work.hottestIntegers, work.hottestFloats * kFloatAtomic,
                work.hottestLineAtomics * kIntegersPerMicrosecond / kLineAtomicsPerMicrosecond});
  add("atomics", atomics / kIntegersPerMicrosecond, false, atomics, "atomics",
      kIntegersPerMicrosecond,
      "atomics on the address that gets the most, of floats 2.4 times as many, or a fifth of those "
      "on 128 bytes");
  double starts = kCtasPerMicrosecond * gpu.multiprocessors;
  add("programs", work.ctas / starts, false, work.ctas, "programs", starts,
      "programs that begin on a multiprocessor one after the other");
  double one = programTime();
  double begun = std::ceil(waves - kRounding);
  add("latency", begun * one, false, begun, "waves", 1 / one,
      llvm::formatv("{0:F2} us for a program: {1:F1} loads that wait for each other, barriers, "
                    "dependent instructions",
                    one, work.loadRounds + work.copyRounds / std::max(1.0, work.copiesAhead)));
}

/// The last wave is not full: units of the multiprocessors wait for those that have one program
/// more.
void Predictor::addTail(double largest) {
  // The latency counts waves that are not full already.
  bool isShared = time.bound == "memory" || time.bound == "cache" || time.bound == "atomics" ||
                  time.bound == "latency";
  double full = work.ctas / gpu.multiprocessors;
  double lost = isShared || full <= 1 ? 0 : largest * (std::ceil(full) / full - 1);
  add("tail", lost, true, std::ceil(full) - full, "waves", full <= 1 ? 0 : full / largest,
      "the last wave of programs takes as long as a full one");
}

Time predictTime(const LaunchWork &work, const GpuLimits &gpu) {
  return Predictor(work, gpu).run();
}

double latenciesOfInstruction(const GpuLimits &gpu) {
  return kCyclesBetween / (gpu.latency * gpu.cyclesPerMicrosecond());
}

double termOf(const Time &time, llvm::StringRef name) {
  for (const TimeTerm &term : time.terms)
    if (term.name == name)
      return term.time;
  return 0;
}

Roofline rooflineOf(const LaunchWork &work, const GpuLimits &gpu, double time) {
  Roofline roof;
  const Counters &c = work.counters;
  bool hasDots = c.multiplyAdds != 0;
  roof.flops = 2.0 * double(c.multiplyAdds) + double(c.instructions[abi::ClassFloat]) +
               double(c.instructions[abi::ClassSpecial]);
  roof.bytes = work.readBytes + work.writtenBytes;
  roof.peak = hasDots ? gpu.tensorPeak(work.operandBits) : gpu.floatPeak();
  roof.ridge = roof.peak * 1e3 / gpu.bandwidth;
  roof.intensity = roof.bytes > 0 ? roof.flops / roof.bytes : 0;
  if (time > 0) {
    roof.attained = roof.flops / time * 1e-6;
    roof.bandwidth = roof.bytes / time * 1e-3;
    roof.ofLimit = std::max(roof.attained / roof.peak, roof.bandwidth / gpu.bandwidth);
  }
  return roof;
}

double shareOf(const Counts &part, const Counts &all, const Time &time) {
  auto ratio = [](double some, double whole) { return whole > 0 ? some / whole : 0; };
  const Counters &p = part.counters, &a = all.counters;
  const std::pair<const char *, double> units[] = {
      {"memory", ratio(cacheBytes(p), cacheBytes(a))},
      {"cache", ratio(cacheBytes(p), cacheBytes(a))},
      {"tensor", ratio(double(p.multiplyAdds), double(a.multiplyAdds))},
      {"issue", ratio(warpSlots(p), warpSlots(a))},
      {"shared", ratio(wavefronts(p), wavefronts(a))},
      {"atomics", ratio(serialised(part.hottest), serialised(all.hottest))},
      // Warps wait for memory above all.
      {"latency", ratio(cacheBytes(p), cacheBytes(a))}};
  double sum = 0, weights = 0;
  for (const auto &[name, share] : units) {
    // A unit that is busy half of the time is hardly what the kernel waits for.
    double weight = std::pow(termOf(time, name), kNorm / 2);
    sum += weight * share;
    weights += weight;
  }
  return ratio(sum, weights);
}

double busyCycles(const Counters &c) {
  // Bytes between a multiprocessor and the second cache in a cycle; operations of its tensor cores.
  constexpr double cacheBytesPerCycle = 24, opsPerCycle = 4096;
  return warpSlots(c) / kIssuePerCycle + wavefronts(c) + cacheBytes(c) / cacheBytesPerCycle +
         tensorOps(c) / opsPerCycle + double(c.barriers) * kBarrierCycles / kIssuePerCycle;
}

} // namespace tilec::explain
