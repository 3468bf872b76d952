// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The SIMT simulator: runs a grid of CTAs of a kernel compiled for the host, checks it and counts.
//
// The kernel is an ordinary function that every simulated thread runs once and that calls the
// functions of SimAbi.h. Threads of a cluster are fibers of one host thread; clusters, mostly of
// one CTA, are spread over host threads. The result does not depend on the number of host threads,
// except through the order of atomics between CTAs (rounding of float atomics, and which CTA gets
// which value).
#ifndef TILECRT_SIM_SIMULATOR_H
#define TILECRT_SIM_SIMULATOR_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tilecrt::sim {

/// A line of the source that an inlined operation was called from.
struct CallPlace {
  std::string file;
  int line = 0;
  int col = 0;
};

/// Instructions that a block of code has at one place.
struct BlockInstructions {
  int32_t site = 0;
  int32_t instructionClass = 0; ///< abi::InstructionClass.
  int32_t amount = 0;
};

/// A place in the kernel's source that ABI calls name by index.
struct Site {
  std::string file;
  int line = 0;
  int col = 0;
  std::string what; ///< The operation in words, e.g. "tl.load"; may be empty.
  /// Of an inlined operation, the calls around it, innermost first.
  std::vector<CallPlace> callers{};
  /// Of calls of tilec_sim_count in front of a block: what the block has. The launch counts it at
  /// the places where it is.
  std::vector<BlockInstructions> block{};
  /// Of an atomic: the compiler of a GPU sees that the lanes of a warp have one address.
  bool isUniform = false;
};

/// One allocation the kernel may touch. Not owned. Allocations may overlap or be equal (aliased
/// arguments); an access is inside when some one buffer contains all of it.
struct Buffer {
  void *base = nullptr;
  size_t bytes = 0;
  std::string name; ///< How findings call it, usually the argument's name.
  bool readOnly = false;
};

/// What to run and how.
struct LaunchConfig {
  std::array<uint32_t, 3> grid = {1, 1, 1};  ///< CTAs in x, y, z.
  std::array<uint32_t, 3> block = {1, 1, 1}; ///< Threads of a CTA in x, y, z.
  /// CTAs of a cluster in x, y, z, at most 16; divides the grid.
  std::array<uint32_t, 3> cluster = {1, 1, 1};
  /// CTAs, neighbours along x, that run one program together: findings and lines name the program.
  uint32_t programCtas = 1;
  uint32_t sharedBytes = 0; ///< Size of the CTA's shared window.
  /// CTAs that fit at once, as far as a persistent kernel is concerned; `grid` is that of the
  /// launch then, and the programs are arguments.
  uint32_t residentCtas = 3;
  std::vector<Buffer> buffers;
  const std::vector<Site> *sites = nullptr; ///< Not owned; may be null.

  /// Checking mode: races, uninitialised shared reads, writes to read-only buffers. Bounds and
  /// alignment are checked always, except that with `check` false and no buffers at all every
  /// global access is trusted.
  bool check = true;
  /// Within checking mode, data races in global memory (shared-memory races are always looked for).
  bool checkGlobalRaces = true;
  /// Collect memory and warp-operation counters.
  bool counters = false;
  /// Runs so many clusters only, spread evenly over x, and differently over y and z; 0: all.
  uint64_t sampledClusters = 0;

  unsigned hostThreads = 0;     ///< 0: one for each core. 1: everything on the calling thread.
  uint64_t maxFindings = 100;   ///< Different findings kept; the rest is only counted.
  uint64_t maxPrinted = 100000; ///< Lines kept in LaunchResult::printed.
  /// ABI calls one thread may make before its CTA is stopped as hung; CTAs that have not begun then
  /// are not run, so how often the finding occurred is not deterministic. A loop that makes no ABI
  /// call at all cannot be interrupted.
  uint64_t maxStepsPerThread = uint64_t(1) << 30;
  /// Turns that a CTA may do nothing but wait for a value in global memory while nothing else in
  /// the launch moves. A turn is 64 rounds of 64 atomics or equal reads; 64 rounds from barrier to
  /// barrier, with a read that finds what it found before, count for eight turns.
  uint64_t maxSpinRounds = 20000;
  /// Stack of one simulated thread. A kernel that needs more is stopped with a StackOverflow
  /// finding.
  size_t stackBytes = 128 * 1024;
  /// Turn a memory fault in kernel code (an uninstrumented access, a stack overflow) into a
  /// finding. Installs a SIGSEGV/SIGBUS handler while launches run; faults elsewhere go on to the
  /// handler that was there before.
  bool catchFaults = true;
};

/// Host code of the kernel: run once by every simulated thread. Must not throw; an exception is
/// caught and becomes a finding, but objects on stopped threads' stacks are never destroyed.
using KernelEntry = void (*)(void **args);

enum class FindingKind : uint8_t {
  OutOfBoundsGlobal,   ///< Not wholly inside one registered buffer.
  MisalignedAccess,    ///< Address not a multiple of the access size.
  ReadOnlyWrite,       ///< Store or atomic on a buffer registered as read-only.
  OutOfWindowShared,   ///< Not wholly inside the CTA's shared window.
  UninitializedShared, ///< Read of a shared byte that nobody has written in its CTA.
  SharedRaceRAW,       ///< Read of what another thread wrote, with no barrier between.
  SharedRaceWAR,       ///< Write over what another thread read, with no barrier between.
  SharedRaceWAW,       ///< Two threads wrote different values, with no barrier between.
  SharedRaceSameValue, ///< Two threads wrote the same value, with no barrier between.
  GlobalRaceReadWrite, ///< Global memory: one thread reads, another writes, unordered.
  GlobalRaceWriteWrite,
  GlobalRaceSameValue,
  DivergentBarrier,  ///< A barrier that not all the threads it is meant for reached together.
  WarpOpMissingLane, ///< shfl, vote, redux, bar.warp: a lane of the mask has exited or is
                     ///< elsewhere.
  Deadlock,          ///< Threads wait for something that cannot happen any more, or never stop.
  InvalidOperation,  ///< An argument of an ABI call is outside its range.
  AssertFailed,
  Trap,
  StackOverflow,
  HostFault,           ///< A memory fault in code that is not instrumented.
  KernelException,     ///< The kernel function threw.
  AsyncReadEarly,      ///< Shared memory read that an asynchronous copy in flight has yet to write.
  AsyncOverwrite,      ///< Shared memory written that an operation in flight reads or writes.
  AsyncSourceChanged,  ///< Global memory changed under a copy that was reading it.
  AsyncUnfinished,     ///< The CTA ended before an operation on its shared memory.
  ProxyFenceMissing,   ///< Generic and asynchronous access with no fence.proxy.async between.
  WgmmaRegisterInUse,  ///< A register touched that a wgmma in flight reads or writes.
  WgmmaFenceMissing,   ///< Registers handed to wgmma with no wgmma.fence since they were touched.
  WarpgroupDivergence, ///< The warps of a warpgroup did not issue the same wgmma.
  InvalidMbarrier,     ///< A barrier object that is none, or used against its rules.
  CtaNotRunning ///< Shared memory of another CTA touched that may not have begun or may have ended.
};

/// "shared-race-raw" and the like: stable names for output and tests.
const char *findingKindName(FindingKind kind);

/// A simulated thread.
struct ThreadRef {
  std::array<uint32_t, 3> cta = {0, 0, 0};
  uint32_t thread = 0; ///< Number in the CTA, x fastest.
  uint32_t warp() const { return thread / 32; }
  uint32_t lane() const { return thread % 32; }
};

enum class AccessKind : uint8_t {
  None,
  GlobalLoad,
  GlobalStore,
  GlobalAtomic,
  SharedLoad,
  SharedStore,
  SharedAtomic
};

/// What a thread did; kind None where the finding is not about memory.
struct Access {
  AccessKind kind = AccessKind::None;
  uint64_t address = 0; ///< Global: host address. Shared: offset in the window.
  uint32_t bytes = 0;
};

/// Findings that agree in kind and sites are one Finding; the rest describes the one in the first
/// CTA.
struct Finding {
  FindingKind kind = FindingKind::Trap;
  uint64_t count = 1;
  int32_t site = -1; ///< Index in LaunchConfig::sites, or -1.
  ThreadRef thread;
  Access access;
  int32_t otherSite = -1; ///< The other party of a race or a divergence, or -1.
  bool hasOther = false;  ///< Whether otherThread and otherAccess mean something.
  ThreadRef otherThread;
  Access otherAccess;
  std::string message; ///< One line, without places: no address that changes from run to run.
};

/// Counts of one site, or of a whole launch. Requests are per warp; a request whose lanes are all
/// masked off is not counted.
struct Counters {
  uint64_t globalLoadRequests = 0, globalStoreRequests = 0;
  uint64_t globalLoadSectors = 0, globalStoreSectors = 0; ///< 32-byte sectors touched, per request.
  uint64_t globalLoadIdealSectors = 0,
           globalStoreIdealSectors = 0;               ///< If the same bytes were contiguous.
  uint64_t globalLoadBytes = 0, globalStoreBytes = 0; ///< Sum over lanes.
  /// Lanes that came there, and those of them that were masked off, in whole requests too.
  uint64_t globalLoadLanes = 0, globalStoreLanes = 0;
  uint64_t globalLoadMaskedLanes = 0, globalStoreMaskedLanes = 0;
  uint64_t sharedLoadRequests = 0, sharedStoreRequests = 0;
  uint64_t sharedLoadWavefronts = 0, sharedStoreWavefronts = 0;
  uint64_t sharedLoadIdealWavefronts = 0,
           sharedStoreIdealWavefronts = 0; ///< Without bank conflicts.
  uint64_t sharedLoadBytes = 0, sharedStoreBytes = 0;
  uint64_t shuffles = 0, votes = 0, reduxes = 0; ///< Per warp.
  uint64_t barriers = 0;                         ///< Of CTAs and clusters, per warp that arrives.
  uint64_t warpBarriers = 0;
  uint64_t fences = 0;                           ///< Per thread.
  uint64_t globalAtomics = 0, sharedAtomics = 0; ///< Per thread that is not masked off.
  uint64_t mmas = 0, wgmmas = 0;                 ///< Per warp.
  uint64_t multiplyAdds = 0;                     ///< Of mma.sync and wgmma.
  uint64_t asyncCopies = 0;                      ///< cp.async, per thread; bytes as loads, stores.
  uint64_t bulkLoads = 0, bulkStores = 0;
  uint64_t bulkLoadBytes = 0, bulkStoreBytes = 0;   ///< Of shared memory.
  uint64_t mbarrierArrivals = 0, mbarrierWaits = 0; ///< Per thread; a test counts as a wait.
  std::array<uint64_t, 9> instructions = {};        ///< tilec_sim_count, by abi::InstructionClass.

  Counters &operator+=(const Counters &other);
  bool operator==(const Counters &other) const;
  bool empty() const { return *this == Counters(); }
};

/// One line printed by the kernel.
struct PrintedLine {
  ThreadRef thread;
  int32_t site = -1;
  std::string text;
};

/// Atomics that one address gets, one after the other. Combinations of integers of 32 bits by the
/// lanes of a warp are one where the address is uniform.
struct SerialAtomics {
  uint64_t integers = 0, floats = 0;

  uint64_t all() const { return integers + floats; }
  /// The larger number of each.
  SerialAtomics &raiseTo(const SerialAtomics &other) {
    integers = integers < other.integers ? other.integers : integers;
    floats = floats < other.floats ? other.floats : floats;
    return *this;
  }
};

/// One request of a warp to global memory.
struct SampledRequest {
  AccessKind kind = AccessKind::None;    ///< None where there is no request.
  ThreadRef thread;                      ///< Lane 0 of the warp, with its program.
  uint32_t active = 0;                   ///< Lanes that are not masked off.
  std::array<uint64_t, 32> address = {}; ///< By lane.
  std::array<uint8_t, 32> bytes = {};    ///< By lane.
  std::string buffer;                    ///< Where the lowest address is; may be empty.
  uint64_t bufferBegin = 0;              ///< Its address.
};

enum class LaunchStatus : uint8_t {
  Completed, ///< All CTAs ran to their end (there may be findings).
  Stopped,   ///< Some CTA was stopped: trap, failed assertion, deadlock, fault. The findings say
             ///< which.
  Invalid    ///< The configuration was refused; nothing ran.
};

struct LaunchResult {
  LaunchStatus status = LaunchStatus::Completed;
  std::string error; ///< Set when status is not Completed.
  /// Sorted by kind of severity, then by CTA. At most LaunchConfig::maxFindings.
  std::vector<Finding> findings;
  uint64_t findingsDropped = 0; ///< Different findings beyond maxFindings.
  /// Set when a limit made part of the global-race check impossible; says which.
  std::string incomplete;
  Counters totals; ///< Zero without LaunchConfig::counters.
  std::vector<Counters>
      siteCounters; ///< One per site, plus one last for unknown sites; empty without counters.
  /// By site, as siteCounters. Of sites with a block: how often threads ran it.
  std::vector<uint64_t> blockRuns;
  /// Atomics on the address of global memory that got the most, by site and from all sites; and on
  /// 128 neighbouring bytes.
  std::vector<SerialAtomics> hottestAtomics;
  SerialAtomics hottestOfAll;
  uint64_t hottestLineAtomics = 0;
  /// By site: bytes from the lowest to the highest address that was loaded from there.
  std::vector<uint64_t> loadSpans;
  /// By site: sectors of loads that the same CTA had loaded not long before, from anywhere, so that
  /// they may be in the first cache.
  std::vector<uint64_t> loadsAgain;
  /// By site: how often the second cache updates a sector for atomics of global memory: once for
  /// neighbouring addresses of a warp, and those of floats of a thread within 16 bytes; for each
  /// lane that meets another one at an address, unless it is uniform.
  std::vector<uint64_t> atomicUpdates;
  /// By site: one of its requests of all lanes, or as many as there are, from the cluster that is
  /// nearest to the middle of the grid.
  std::vector<SampledRequest> sampledRequests;
  /// Different bytes of the buffers that were read and written, in whole sectors of 32 bytes.
  uint64_t readFootprint = 0, writtenFootprint = 0;
  uint64_t clustersRun = 0;         ///< Of those of the grid: all unless a sample was asked for.
  std::vector<PrintedLine> printed; ///< By CTA, then in the order of printing.
  uint64_t printedDropped = 0;

  bool clean() const { return status == LaunchStatus::Completed && findings.empty(); }
};

/// Runs the kernel over the grid and returns when all is done. Thread-safe; never throws for
/// anything that the kernel or the configuration does.
LaunchResult launch(KernelEntry entry, void **args, const LaunchConfig &config);

/// The finding as text: "file:line:col: kind: message", then the thread, then the other place. No
/// newline at the end; lines after the first are indented.
std::string describeFinding(const Finding &finding, const LaunchConfig &config);

/// Name and address of every function of SimAbi.h, for a JIT's symbol table.
struct AbiSymbol {
  const char *name;
  void *address;
};
const std::vector<AbiSymbol> &abiSymbols();

} // namespace tilecrt::sim

#endif // TILECRT_SIM_SIMULATOR_H
