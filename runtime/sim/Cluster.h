// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is scheduled at once, a cluster, so far of one CTA: its threads, warps, barriers, shared
// memory, and the scheduler.
//
// The scheduler runs the lanes of a warp in order, each until it waits for other lanes, then
// performs the warp-wide operation they wait at and runs them again; when the whole warp waits at a
// CTA barrier, the next warp runs. A round in which nothing can go on is a divergence or a
// deadlock. Asynchronous operations are one more thing a round may complete: last, when no lane can
// run without it, so that they complete as late as the program allows (AsyncState.h).
#ifndef TILEC_RUNTIME_SIM_CLUSTER_H
#define TILEC_RUNTIME_SIM_CLUSTER_H

#include "runtime/sim/AsyncState.h"
#include "runtime/sim/Fiber.h"
#include "runtime/sim/SharedShadow.h"
#include "runtime/sim/Worker.h"
#include "tilecrt/sim/SimAbi.h"
#include "tilecrt/sim/SimAsyncAbi.h"
#include <cstdlib>

namespace tilecrt::sim {

struct Warp;

enum class OpKind : uint8_t {
  None,
  Shuffle,
  Redux,
  Vote,
  Match,
  WarpBarrier,
  CtaBarrier,
  CtaArrive,
  Mma,
  LoadMatrix,
  StoreMatrix,
  WgmmaFence,
  Wgmma,
  WgmmaCommit,
  WgmmaWait
};

/// A warp-wide operation that a lane has come to; lanes whose operations agree in `sameAs` perform
/// it together.
struct WarpOp {
  OpKind kind = OpKind::None;
  int32_t mode = 0;     ///< Shuffle, redux or vote kind, bits of a match, or number of a barrier.
  uint32_t mask = 0;    ///< Lanes that take part; for CTA barriers, the whole warp.
  int32_t nthreads = 0; ///< CTA barriers only.
  int32_t site = -1;
  uint64_t value = 0;
  uint32_t lane = 0;        ///< Shuffle: source lane or distance.
  uint32_t clamp = 0;       ///< Shuffle: PTX's operand c.
  void *operands = nullptr; ///< Matrix operations: what MatrixOps.h has for the kind.
  uint64_t result = 0;
  bool inRange = false;

  bool sameAs(const WarpOp &o) const {
    return kind == o.kind && mode == o.mode && mask == o.mask && nthreads == o.nthreads;
  }
};

/// One simulated thread.
struct Thread {
  Cluster *cluster = nullptr;
  Warp *warp = nullptr;
  uint32_t index = 0; ///< In the CTA.
  uint32_t lane = 0;
  std::array<uint32_t, 3> tid = {};
  std::array<uint32_t, 3> program = {}; ///< Which it runs: the CTA's, of a persistent one another.
  uint64_t steps = 0;                   ///< ABI calls so far.
  int32_t lastSite = -1;                ///< Of the last ABI call.
  uint32_t spins = 0;                   ///< Atomics since the thread last waited.
  uint64_t pollAddress = 0; ///< Where its last read of global memory was, and what it found.
  uint64_t pollValue = 0;
  uint64_t pollWork = 0;    ///< Cluster::globalWork at that time.
  uint32_t polls = 0;       ///< Reads in a row that found the same while nobody did anything else.
  uintptr_t stackLimit = 0; ///< An ABI call below this address has too little stack left.
  WarpOp op;
};

/// The first of some lanes, a bit each; there is one.
inline unsigned lowestLane(uint32_t lanes) { return static_cast<unsigned>(__builtin_ctz(lanes)); }

/// The lanes of a warp by state, one bit each, and its clocks and pending requests. A lane is in at
/// most one of ready, yielded, atOp, atBarrier, atMbarrier and done.
struct Warp {
  explicit Warp(uint32_t siteCount) : requests(siteCount) {}

  uint32_t index = 0;
  uint32_t existing = 0; ///< Lanes that are threads of the CTA.
  uint32_t ready = 0;
  uint32_t yielded = 0;
  uint32_t spinning = 0; ///< Of the yielded lanes, those that spin on atomics.
  uint32_t testing = 0;  ///< Of those, the ones that test a barrier object.
  uint32_t atOp = 0;
  uint32_t atBarrier = 0;
  uint32_t atMbarrier = 0;
  uint32_t done = 0;
  uint32_t snapshot = 0; ///< Version of the warp's knowledge of others, in Cluster::snapshots.
  WarpRequests requests;

  uint32_t live() const { return existing & ~done; }
};

/// One of the sixteen CTA barriers.
struct CtaBarrierState {
  bool active = false;
  int32_t nthreads = 0;
  uint32_t arrivedThreads = 0;
  uint32_t waitingWarps = 0;
  uint32_t arrivedWarps = 0;
  int32_t site = -1; ///< Of the first warp to arrive.
  WarpKnowledge meeting = {};
};

class Cluster {
public:
  explicit Cluster(Worker &owner);
  Cluster(const Cluster &) = delete;
  Cluster &operator=(const Cluster &) = delete;

  /// Reserves what a CTA needs; false when memory is short.
  bool create();

  /// Becomes CTA number `number` of the grid, ready to run.
  void begin(uint64_t number);

  enum class Outcome { Finished, Spinning, Polling };
  /// Runs until all threads have finished or the CTA was stopped (Finished), or for a while nothing
  /// happened but spinning on atomics (Spinning), or reading the same from the same place with
  /// barriers between (Polling); run it again then.
  Outcome run();

  /// Stops a CTA that spins for ever.
  void stopSpinning();

  /// Gives the worker what the CTA has collected. Call when run has said Finished.
  void finish();

  //===--- Called from simulated threads (ClusterMemory.cpp, Print.cpp)
  //----------------------------------===//

  void globalLoad(Thread &t, uint64_t address, void *dst, int32_t bytes, bool pred, int32_t site);
  void globalStore(Thread &t, uint64_t address, const void *src, int32_t bytes, bool pred,
                   int32_t site);
  void sharedLoad(Thread &t, uint32_t offset, void *dst, int32_t bytes, bool pred, int32_t site);
  void sharedStore(Thread &t, uint32_t offset, const void *src, int32_t bytes, bool pred,
                   int32_t site);
  void atomic(Thread &t, int32_t op, int32_t type, int32_t space, uint64_t address,
              const void *operand, const void *compare, void *result, int32_t order, bool pred,
              int32_t site);
  void fence(Thread &t, int32_t scope, int32_t site);

  /// Waits until the operation that `t.op` describes is performed; its result is then in t.op.
  void warpOp(Thread &t);
  /// The same for one of the whole warp with operands.
  void collective(Thread &t, OpKind kind, void *operands, int32_t site);
  void matrixMove(Thread &t, MatrixMove &move, bool loads, int32_t site);
  void wgmma(Thread &t, WgmmaOperands &operands, int32_t site);
  uint32_t wgmmaRead(Thread &t, uint32_t word, int32_t site);

  //===--- Asynchronous operations (ClusterCopies.cpp, ClusterMbarrier.cpp, ClusterBulk.cpp)
  //---------------===//

  void copyAsync(Thread &t, uint32_t dst, uint64_t source, int32_t bytes, int32_t sourceBytes,
                 bool bypassL1, bool pred, int32_t site);
  void copyCommit(Thread &t, int32_t site);
  void copyWait(Thread &t, int32_t pending, int32_t site);
  void copyArrive(Thread &t, uint32_t mbar, bool noinc, int32_t site);

  void mbarrierInit(Thread &t, uint32_t mbar, int32_t count, int32_t site);
  void mbarrierInval(Thread &t, uint32_t mbar, int32_t site);
  uint64_t mbarrierArrive(Thread &t, uint32_t mbar, int32_t count, int32_t txBytes, int32_t flags,
                          int32_t site);
  void mbarrierTx(Thread &t, uint32_t mbar, int32_t txBytes, int32_t site);
  bool mbarrierWait(Thread &t, const MbarrierWait &wait, int32_t mode);
  void proxyFence(Thread &t, int32_t kind, int32_t site);

  void bulkLoad(Thread &t, uint32_t dst, const TensorBox &box, uint32_t mbar, int32_t site);
  void bulkStore(Thread &t, const TensorBox &box, uint32_t src, uint32_t byteMask,
                 int32_t reduction, int32_t site);
  /// The box of a map at some coordinates; false after a finding.
  bool tensorBox(Thread &t, const void *map, int32_t rank, const int32_t *coords, TensorBox &box,
                 int32_t site);
  void bulkCommit(Thread &t, int32_t site);
  void bulkWait(Thread &t, int32_t pending, bool readOnly, int32_t site);

  void print(Thread &t, const char *prefix, int32_t kind, uint64_t payload, int32_t site);
  void count(Thread &t, int32_t instructionClass, int32_t amount, int32_t site);

  /// Reports a finding and stops the CTA; comes back never.
  void stop(Thread &t, FindingKind kind, int32_t site, std::string message);
  /// Reports a finding and goes on.
  void report(Thread &t, FindingKind kind, int32_t site, const std::string &message);

  /// Its clock: the calls of threads so far, this one with them.
  uint64_t tick() { return ++ticks; }

  std::array<uint32_t, 3> ctaid = {};
  char *sharedBase() { return sharedMemory.get(); }
  LaunchState &launch;

private:
  //===--- Scheduling (Cluster.cpp) -------------------------------------------===//
  Outcome runRounds();
  bool runWarp(Warp &warp);
  void resumeLane(Warp &warp, unsigned lane);
  void onFault(uintptr_t address);
  void runThread(Thread &t);
  static void threadBody(void *thread);
  void yield(Thread &t, bool spins);
  Thread &thread(const Warp &warp, unsigned lane) { return threads[warp.index * warpSize + lane]; }
  void step(Thread &t, int32_t site);

  //===--- Warp operations and barriers (WarpOps.cpp) ----------------------===//
  bool performOps(Warp &warp);
  void perform(Warp &warp, uint32_t members, const WarpOp &op);
  void shuffle(Warp &warp, uint32_t members);
  void redux(Warp &warp, uint32_t members);
  void vote(Warp &warp, uint32_t members);
  void match(Warp &warp, uint32_t members);
  void arrive(Warp &warp, uint32_t members, const WarpOp &op);
  void release(CtaBarrierState &barrier);
  bool releaseAfterExits();
  void reportStall();
  void mma(Warp &warp, uint32_t members);
  void moveMatrices(Warp &warp, uint32_t members, bool loads);

  //===--- Warpgroup products (ClusterWgmma.cpp)
  //------------------------------------------------===//
  void issueProduct(Warp &warp, uint32_t members);
  void logProduct(Warp &warp, const WgmmaOperands &shape, int32_t site);
  uint32_t chooseAccumulator(Warp &warp, uint32_t members, const WgmmaOperands &shape,
                             int32_t site);
  bool placeOperands(Warp &warp, WgmmaProduct &product, int32_t site);
  void holdOperands(Warp &warp, const WgmmaProduct &product);
  void landProduct(Warp &warp, WgmmaProduct &product);
  void waitProducts(Warp &warp, uint32_t members);
  WgmmaState &wgmmaOf(Warp &warp);

  //===--- Asynchronous operations ------------------------------------------------------------===//
  bool checkSource(Thread &t, uint64_t source, uint32_t bytes, uint32_t alignment, int32_t site);
  void landCopy(CopyAsync &copy, uint32_t threadIndex, bool byOwner);
  void landCopies(uint32_t threadIndex, uint64_t upTo, bool byOwner);
  void landBulkLoad(size_t index);
  void readBulkStore(BulkStore &store);
  void writeBulkStore(BulkStore &store);
  bool checkBox(Thread &t, const TensorBox &box, AccessKind kind, int32_t site);
  void recordBulk(uint32_t threadIndex, uint64_t address, const char *data, uint32_t bytes,
                  RangeKind kind, int32_t site);
  Mbarrier *mbarrierAt(Thread &t, uint32_t mbar, int32_t site, const char *what);
  void completePhase(uint32_t mbar, Mbarrier &object);
  void acquireKnowledge(Warp &warp, const WarpKnowledge &knowledge);
  AccessStamp landingStamp(uint32_t threadIndex, int32_t site);
  bool landForWaiters();
  bool reportMbarrierStall(bool onlyTests);
  void finishAsync();
  /// The operation in flight that has yet to read the byte.
  bool findReader(uint32_t byte, int32_t &site, uint32_t &threadIndex) const;

  //===--- Memory (ClusterMemory.cpp, ClusterRequests.cpp)
  //-------------------------------------------===//
  uint32_t siteIndex(int32_t site) const {
    return static_cast<uint32_t>(site) < launch.siteCount - 1 ? static_cast<uint32_t>(site)
                                                              : launch.siteCount - 1;
  }
  bool checkGlobal(Thread &t, uint64_t address, uint32_t bytes, AccessKind kind, int32_t site);
  bool checkShared(Thread &t, uint32_t offset, uint32_t bytes, AccessKind kind, int32_t site);
  AccessStamp stamp(const Thread &t, int32_t site) const;
  void reportShared(Thread &t, const SharedConflicts &found, const Access &access, int32_t site,
                    bool sameValue, const char *operation = nullptr);
  void record(Thread &t, RequestKind kind, uint64_t address, uint32_t bytes, bool active,
              uint32_t hash, int32_t site);
  void retire(Warp &warp, const RequestQueue &queue, const Request &request);
  void recordAtomic(Thread &t, uint64_t address, uint32_t bytes, bool writes, int32_t site);
  void logSync(const SyncEvent &event);
  void flushRequests(Warp &warp);
  void noteRead(Thread &t, uint64_t address, uint64_t value);
  void noteWork();
  void endRaceEpoch();
  void checkRacesInside();

  template <typename Describe> void add(const Finding &finding, const Describe &describe) {
    worker.findings.add(finding, number, describe);
  }
  Finding findingAt(const Thread &t, FindingKind kind, int32_t site) const;
  ThreadRef refOf(uint32_t threadIndex) const {
    return {threads[threadIndex].program, threadIndex};
  }
  Counters *countersOf(int32_t site) {
    return worker.counters.empty() ? nullptr : &worker.counters[siteIndex(site)];
  }

  Worker &worker;
  uint64_t number = 0; ///< Linear, x fastest.
  uint64_t ticks = 0;  ///< Calls of its threads so far.
  FiberSet fibers;
  std::vector<Thread> threads;
  std::vector<Warp> warps;
  std::vector<WarpClock> clocks; ///< By warp.
  std::array<CtaBarrierState, 16> barriers;
  struct FreeDeleter {
    void operator()(char *memory) const { std::free(memory); }
  };
  std::unique_ptr<char, FreeDeleter> sharedMemory;
  std::unique_ptr<SharedShadow> shadow; ///< Null without checking.
  AsyncState async;
  std::vector<const BufferTable::Range *> lastBuffer; ///< By site: where its last access was.

  bool stopped = false;
  uint32_t liveThreads = 0;
  uint64_t linesPrinted = 0;
  unsigned idleRounds = 0; ///< Rounds in a row with nothing but spinning.
  uint64_t globalWork = 0; ///< Accesses of global memory that are no polls.
  /// The thread that has polled for long while no other access happened, perhaps with barriers in
  /// between, or null. Until then a CTA whose threads move is not taken to spin.
  Thread *poller = nullptr;

  std::vector<AccessRange> epochRanges; ///< Since the last barrier of the whole CTA.
  std::vector<AccessRange> pastRanges;  ///< Before it; compacted now and then.
  size_t pastCompacted = 0;
  std::vector<WarpKnowledge> snapshots;
  std::vector<SyncEvent> syncEvents;
  bool fenced = false;     ///< A fence has been seen: atomics before it acquire, after it release.
  size_t fencedEvents = 0; ///< Events before the last fence.
};

/// "global load of 4 bytes".
std::string accessText(AccessKind kind, uint32_t bytes);

/// A race between two access ranges as a finding, and its message.
Finding raceFinding(const RangeConflict &conflict, const LaunchState &launch);
std::string describeRace(const RangeConflict &conflict, const LaunchState &launch);

/// The simulated thread that runs on this host thread, or null.
Thread *&currentThread();

} // namespace tilecrt::sim

#endif // TILEC_RUNTIME_SIM_CLUSTER_H
