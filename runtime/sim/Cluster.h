// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is scheduled at once, a cluster, mostly of one CTA: the threads and warps of its CTAs, their
// barriers and shared memory, and the scheduler.
//
// Threads and warps are numbered through the cluster, CTA after CTA, and the CTAs' shared windows
// lie one behind the other, so that clocks, shadow and barrier objects work across CTAs. A place is
// an offset in all of them, an offset one in a CTA's own window, and an address what a program has:
// an offset, or with a CTA's rank (abi::mapShared) one of that CTA.
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
#include "tilecrt/sim/SimClusterAbi.h"
#include <cstdlib>
#include <optional>

namespace tilecrt::sim {

struct Cta;
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
  ClusterArrive,
  ClusterWait,
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
  /// Shuffle, redux or vote kind, bits of a match, number of a barrier; whether an arrival at the
  /// cluster barrier orders no memory.
  int32_t mode = 0;
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
  Cta *cta = nullptr;
  Warp *warp = nullptr;
  uint32_t index = 0; ///< In the cluster: 32 for each warp before, and the lane.
  uint32_t lane = 0;
  std::array<uint32_t, 3> tid = {};
  std::array<uint32_t, 3> program = {}; ///< Which it runs: the CTA's, of a persistent one another.
  uint64_t steps = 0;                   ///< ABI calls so far.
  int32_t lastSite = -1;                ///< Of the last ABI call.
  uint32_t spins = 0;                   ///< Atomics since the thread last waited.
  uint64_t pollAddress = 0; ///< Where its last read of global memory was, and what it found.
  uint64_t pollValue = 0;
  uint64_t pollWork = 0; ///< Cluster::globalWork at that time.
  /// With counters: where its last atomic of global memory began and ended.
  uint64_t vectorBegin = 0, vectorEnd = 0;
  uint32_t polls = 0;       ///< Reads in a row that found the same while nobody did anything else.
  uintptr_t stackLimit = 0; ///< An ABI call below this address has too little stack left.
  WarpOp op;
};

/// The first of some lanes, a bit each; there is one.
inline unsigned lowestLane(uint32_t lanes) { return static_cast<unsigned>(__builtin_ctz(lanes)); }

/// The lanes of a warp by state, one bit each, and its clocks and pending requests. A lane is in at
/// most one of ready, yielded, atOp, atBarrier, atCluster, atMbarrier and done.
struct Warp {
  explicit Warp(uint32_t siteCount) : requests(siteCount) {}

  Cta *cta = nullptr;
  uint32_t index = 0; ///< In the cluster.
  uint32_t inCta = 0;
  uint32_t existing = 0; ///< Lanes that are threads of the CTA.
  uint32_t ready = 0;
  uint32_t yielded = 0;
  uint32_t spinning = 0; ///< Of the yielded lanes, those that spin on atomics.
  uint32_t testing = 0;  ///< Of those, the ones that test a barrier object.
  uint32_t atOp = 0;
  uint32_t atBarrier = 0;
  uint32_t atCluster = 0;
  uint32_t atMbarrier = 0;
  uint32_t done = 0;
  uint32_t snapshot = 0; ///< Version of the warp's knowledge of others, in Cluster::snapshots.
  /// Arrivals at the cluster barrier so far, and waits at it that have ended.
  uint64_t clusterArrivals = 0, clusterWaits = 0;
  bool clusterRelaxed = false; ///< The last arrival orders no memory.
  WarpRequests requests;

  uint32_t live() const { return existing & ~done; }
};

/// One of the sixteen barriers of a CTA; its warps are numbered in the CTA.
struct CtaBarrierState {
  bool active = false;
  int32_t nthreads = 0;
  uint32_t arrivedThreads = 0;
  uint32_t waitingWarps = 0;
  uint32_t arrivedWarps = 0;
  int32_t site = -1; ///< Of the first warp to arrive.
  WarpKnowledge meeting;

  /// Nobody has arrived.
  void reset() {
    active = false;
    nthreads = 0;
    arrivedThreads = waitingWarps = arrivedWarps = 0;
    site = -1;
    meeting.clear();
  }
};

/// The barrier of all CTAs of a cluster.
struct ClusterBarrierState {
  uint64_t phase = 0;      ///< Completed ones.
  WarpKnowledge meeting;   ///< Of the phase that runs.
  WarpKnowledge completed; ///< Of the phases before.
};

/// The last access of a warp to the shared memory of another CTA.
struct RemoteAccess {
  uint32_t warpClock = 0; ///< 0: none.
  uint32_t thread = 0;
  int32_t site = -1;
  const char *what = "";
};

/// A tensor map that a CTA's program encodes.
struct EncodedMap {
  int32_t site = -1; ///< Where it was encoded last.
  /// Threads with a proxy fence since; empty while it has not been encoded.
  std::vector<bool> acquired;
  /// The last copy by it: the warp that started it, when, and where.
  uint32_t user = 0, useClock = 0;
  int32_t useSite = -1;
};

struct EncodedMaps {
  std::vector<TensorMap> memory;
  std::vector<EncodedMap> maps;

  /// The map at an address; null for another one.
  EncodedMap *find(const void *map) {
    auto place = reinterpret_cast<uintptr_t>(map);
    auto begin = reinterpret_cast<uintptr_t>(memory.data());
    if (place < begin || place >= begin + memory.size() * sizeof(TensorMap))
      return nullptr;
    return &maps[(place - begin) / sizeof(TensorMap)];
  }
};

/// What belongs to one CTA of a cluster.
struct Cta {
  uint32_t rank = 0;   ///< In the cluster, x fastest.
  uint64_t number = 0; ///< Linear in the grid, x fastest.
  std::array<uint32_t, 3> ctaid = {};
  uint32_t window = 0; ///< The place of its shared memory.
  uint32_t firstWarp = 0, warpCount = 0;
  uint32_t liveThreads = 0;
  uint32_t lastThread = 0; ///< To end so far.
  bool ended = false;
  std::array<CtaBarrierState, 16> barriers;
  std::vector<RemoteAccess> visits; ///< By warp; empty while no other CTA has come.
  EncodedMaps encoded;
};

/// Where a copy to shared memory goes: addresses, or offsets for each CTA of a mask.
struct BulkTarget {
  uint32_t dst = 0, mbar = 0;
  bool isMulticast = false;
  uint32_t mask = 0; ///< Of a multicast: the ranks, a bit each.
  /// Of a copy from the thread's own shared memory: the offset there.
  bool isFromShared = false;
  uint32_t src = 0;
};

class Cluster {
public:
  explicit Cluster(Worker &owner);
  Cluster(const Cluster &) = delete;
  Cluster &operator=(const Cluster &) = delete;

  /// Reserves what a cluster needs; false when memory is short.
  bool create();

  /// Becomes cluster number `number` of the grid, x fastest, ready to run.
  void begin(uint64_t number);

  enum class Outcome { Finished, Spinning, Polling };
  /// Runs until all threads have finished or it was stopped (Finished), or for a while nothing
  /// happened but spinning on atomics (Spinning), or reading the same from the same place with
  /// barriers between (Polling); run it again then.
  Outcome run();

  /// Stops a cluster that spins for ever.
  void stopSpinning();

  /// Gives the worker what the cluster has collected. Call when run has said Finished.
  void finish();

  //===--- Called from simulated threads (ClusterMemory.cpp, Print.cpp) -----------------------===//

  void globalLoad(Thread &t, uint64_t address, void *dst, int32_t bytes, bool pred, int32_t site);
  void globalStore(Thread &t, uint64_t address, const void *src, int32_t bytes, bool pred,
                   int32_t site);
  /// With `inCluster`, `address` may have another CTA's rank.
  void sharedLoad(Thread &t, uint32_t address, bool inCluster, void *dst, int32_t bytes, bool pred,
                  int32_t site);
  void sharedStore(Thread &t, uint32_t address, bool inCluster, const void *src, int32_t bytes,
                   bool pred, int32_t site);
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

  //===--- Several CTAs (ClusterCtas.cpp) -----------------------------------------------------===//

  /// The address of the thread's own `address` in the CTA with a rank.
  uint32_t mapShared(Thread &t, uint32_t address, uint32_t rank, int32_t site);
  void clusterArrive(Thread &t, bool isRelaxed, int32_t site);
  void clusterWait(Thread &t, int32_t site);

  //===--- Asynchronous operations (ClusterCopies.cpp, ClusterMbarrier.cpp, ClusterBulk.cpp) --===//

  void copyAsync(Thread &t, uint32_t dst, uint64_t source, int32_t bytes, int32_t sourceBytes,
                 bool bypassL1, bool pred, int32_t site);
  void copyCommit(Thread &t, int32_t site);
  void copyWait(Thread &t, int32_t pending, int32_t site);
  void copyArrive(Thread &t, uint32_t mbar, bool noinc, int32_t site);

  void mbarrierInit(Thread &t, uint32_t offset, int32_t count, int32_t site);
  void mbarrierInval(Thread &t, uint32_t offset, int32_t site);
  uint64_t mbarrierArrive(Thread &t, uint32_t address, int32_t count, int32_t txBytes,
                          int32_t flags, int32_t site);
  void mbarrierTx(Thread &t, uint32_t address, int32_t txBytes, int32_t site);
  /// The object of `wait` is an offset.
  bool mbarrierWait(Thread &t, MbarrierWait wait, int32_t mode);
  void proxyFence(Thread &t, int32_t kind, int32_t site);

  void bulkLoad(Thread &t, const BulkTarget &target, TensorBox box, int32_t site);
  /// From the thread's own shared memory to that of another CTA.
  void bulkSharedCopy(Thread &t, uint32_t dst, uint32_t src, int32_t bytes, uint32_t mbar,
                      int32_t site);
  void bulkStore(Thread &t, const TensorBox &box, uint32_t src, uint32_t byteMask,
                 int32_t reduction, int32_t site);
  /// The CTA's tensor maps, `count` of them.
  TensorMap *tensorMaps(Thread &t, int32_t count);
  void encodeTensorMap(Thread &t, uint64_t place, const TensorMapFields &fields, int32_t site);
  void acquireTensorMap(Thread &t, const void *map, int32_t site);
  void releaseTensorMaps(Thread &t, int32_t site);
  /// Where a copy by the map stands that is in flight; -1 where none is.
  int32_t copyInFlight(const void *map) const;
  /// A thread starts a copy by the map.
  void useTensorMap(Thread &t, const void *map, int32_t site);
  /// The box of a map at some coordinates; false after a finding.
  bool tensorBox(Thread &t, const void *map, int32_t rank, const int32_t *coords, TensorBox &box,
                 int32_t site);
  void bulkCommit(Thread &t, int32_t site);
  void bulkWait(Thread &t, int32_t pending, bool readOnly, int32_t site);

  void print(Thread &t, const char *prefix, int32_t kind, uint64_t payload, int32_t site);
  void count(Thread &t, int32_t instructionClass, int32_t amount, int32_t site);

  /// Reports a finding and stops the cluster; comes back never.
  void stop(Thread &t, FindingKind kind, int32_t site, std::string message);
  /// Reports a finding and goes on.
  void report(Thread &t, FindingKind kind, int32_t site, const std::string &message);

  /// Its clock: the calls of threads so far, this one with them.
  uint64_t tick() { return ++ticks; }

  char *sharedBase(const Thread &t) { return sharedMemory.get() + t.cta->window; }
  uint32_t ctaCount() const { return static_cast<uint32_t>(ctas.size()); }
  LaunchState &launch;

private:
  //===--- Scheduling (Cluster.cpp) -----------------------------------------------------------===//
  void createThreads(Cta &cta);
  Outcome runRounds();
  bool runWarp(Warp &warp);
  void resumeLane(Warp &warp, unsigned lane);
  void onFault(uintptr_t address);
  void runThread(Thread &t);
  static void threadBody(void *thread);
  void yield(Thread &t, bool spins);
  Thread &thread(const Warp &warp, unsigned lane) { return threads[warp.index * warpSize + lane]; }
  void step(Thread &t, int32_t site);

  //===--- Warp operations and barriers (WarpOps.cpp) -----------------------------------------===//
  bool performOps(Warp &warp);
  void perform(Warp &warp, uint32_t members, const WarpOp &op);
  void shuffle(Warp &warp, uint32_t members);
  void redux(Warp &warp, uint32_t members);
  void vote(Warp &warp, uint32_t members);
  void match(Warp &warp, uint32_t members);
  void arrive(Warp &warp, uint32_t members, const WarpOp &op);
  void release(Cta &cta, CtaBarrierState &barrier);
  void countMissed(Thread &t, int32_t site, const char *operation);
  bool releaseAfterExits();
  void reportStall();
  bool reportLaneStall();
  void reportBarrierStall();
  void mma(Warp &warp, uint32_t members);
  void moveMatrices(Warp &warp, uint32_t members, bool loads);

  //===--- Several CTAs -----------------------------------------------------------------------===//
  void arriveAtCluster(Warp &warp, uint32_t members, const WarpOp &op);
  void waitForCluster(Warp &warp, uint32_t members, const WarpOp &op);
  void passClusterBarrier(Warp &warp, uint32_t lanes);
  void completeClusterBarrier();
  void warpEnded(Warp &warp);
  Cta *ctaOf(Thread &t, uint32_t &address, const char *what, int32_t site);
  bool isRunning(Thread &t, const Cta &cta, const char *what, int32_t site);
  void checkBegun(Thread &t, const Cta &cta, const char *what, int32_t site);
  void noteVisit(const Thread &t, Cta &cta, const char *what, int32_t site);
  void checkVisits(const Cta &cta);
  bool isSynchronised(const AccessRange &from, const AccessRange &to) const;
  Cta &ctaAt(uint32_t place) { return ctas[windowStride == 0 ? 0 : place / windowStride]; }
  const Cta &ctaAt(uint32_t place) const {
    return ctas[windowStride == 0 ? 0 : place / windowStride];
  }
  uint32_t offsetOf(uint32_t place) const {
    return windowStride == 0 ? place : place % windowStride;
  }
  uint32_t numberInCta(const Thread &t) const { return t.index - t.cta->firstWarp * warpSize; }
  /// " of CTA 1 of the cluster", where it has several.
  std::string ofCta(const Cta &cta) const;
  /// The same behind an offset or the number of a thread, where it is not the CTA of `t`.
  std::string offsetText(uint32_t place, const Thread &t) const;
  std::string threadText(uint32_t threadIndex, const Thread &t) const;

  //===--- Warpgroup products (ClusterWgmma.cpp) ----------------------------------------------===//
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
  std::vector<Cta *> destinationsOf(Thread &t, const BulkTarget &target, int32_t site);
  bool admitBulkLoad(Thread &t, Cta &to, const BulkTarget &target, uint32_t bytes, int32_t site);
  void startBulkLoad(Thread &t, const Cta &to, const BulkTarget &target, const TensorBox &box,
                     int32_t site);
  void landBulkLoad(size_t index);
  void readBulkStore(BulkStore &store);
  void writeBulkStore(BulkStore &store);
  bool checkBox(Thread &t, const TensorBox &box, AccessKind kind, int32_t site);
  void recordBulk(uint32_t threadIndex, uint64_t address, const char *data, uint32_t bytes,
                  RangeKind kind, int32_t site);
  Mbarrier *mbarrierAt(Thread &t, Cta &cta, uint32_t offset, int32_t site, const char *what);
  std::string objectText(uint32_t mbar) const;
  void completePhase(uint32_t mbar, Mbarrier &object);
  void acquireKnowledge(Warp &warp, const WarpKnowledge &knowledge);
  AccessStamp landingStamp(uint32_t threadIndex, int32_t site);
  bool landForWaiters();
  bool reportMbarrierStall(bool onlyTests);
  void reportMbarrierWait(const Warp &warp, unsigned lane, bool onlyTests);
  void finishAsync(const Cta &cta);
  /// The operation in flight that has yet to read the byte.
  bool findReader(uint32_t byte, int32_t &site, uint32_t &threadIndex) const;

  //===--- Memory (ClusterMemory.cpp, ClusterRequests.cpp) ------------------------------------===//
  uint32_t siteIndex(int32_t site) const {
    return static_cast<uint32_t>(site) < launch.siteCount - 1 ? static_cast<uint32_t>(site)
                                                              : launch.siteCount - 1;
  }
  bool checkGlobal(Thread &t, uint64_t address, uint32_t bytes, AccessKind kind, int32_t site);
  /// Whether the bytes are in a shared window, that of the thread's CTA or `cta`'s.
  bool checkShared(Thread &t, uint32_t offset, uint32_t bytes, AccessKind kind, int32_t site,
                   const Cta *cta = nullptr);
  /// The same, and the place of an address.
  bool findShared(Thread &t, uint32_t address, bool inCluster, uint32_t bytes, AccessKind kind,
                  int32_t site, uint32_t &place);
  AccessStamp stamp(const Thread &t, int32_t site) const;
  /// The address of `access` is a place.
  void reportShared(Thread &t, const SharedConflicts &found, const Access &access, int32_t site,
                    bool sameValue, const char *operation = nullptr);
  void noteAtomic(int32_t op, int32_t type, uint64_t address, uint32_t site);
  void countAtomic(Thread &t, uint64_t address, uint32_t bytes, bool isFloat, bool active,
                   int32_t site);
  void record(Thread &t, RequestKind kind, uint64_t address, uint32_t bytes, bool active,
              uint32_t hash, int32_t site);
  void retire(Warp &warp, const RequestQueue &queue, const Request &request);
  void recordAtomic(Thread &t, uint64_t address, uint32_t bytes, bool writes, int32_t site);
  void logSync(const SyncEvent &event);
  void flushRequests(Warp &warp);
  void noteRead(Thread &t, uint64_t address, uint64_t value);
  void noteWork();
  void endRaceEpoch();
  /// Remembers what the warp knows now, for its accesses to come.
  void takeSnapshot(Warp &warp);
  void addSnapshot(const WarpKnowledge &knowledge);
  size_t snapshotCount() const { return snapshots.size() / warps.size(); }
  void dropSnapshots();
  void checkRacesInside();

  template <typename Describe> void add(const Finding &finding, const Describe &describe) {
    worker.findings.add(finding, ctas.front().number, describe);
  }
  Finding findingAt(const Thread &t, FindingKind kind, int32_t site) const;
  ThreadRef refOf(uint32_t threadIndex) const {
    return {threads[threadIndex].program, numberInCta(threads[threadIndex])};
  }
  Counters *countersOf(int32_t site) {
    return worker.counters.empty() ? nullptr : &worker.counters[siteIndex(site)];
  }

  Worker &worker;
  uint64_t number = 0; ///< Linear in the grid of clusters, x fastest.
  uint64_t ticks = 0;  ///< Calls of its threads so far.
  FiberSet fibers;
  std::vector<Thread> threads;
  std::vector<Warp> warps;
  std::vector<WarpClock> clocks; ///< By warp.
  std::vector<Cta> ctas;         ///< By rank.
  uint32_t windowStride = 0;     ///< From one CTA's window to the next.
  ClusterBarrierState clusterBarrier;
  struct FreeDeleter {
    void operator()(char *memory) const { std::free(memory); }
  };
  std::unique_ptr<char, FreeDeleter> sharedMemory;
  std::unique_ptr<SharedShadow> shadow; ///< Null without checking.
  AsyncState async;
  std::vector<const BufferTable::Range *> lastBuffer; ///< By site: where its last access was.

  bool stopped = false;
  uint32_t liveCtas = 0; ///< With threads that run.
  uint64_t linesPrinted = 0;
  unsigned idleRounds = 0; ///< Rounds in a row with nothing but spinning.
  uint32_t missedOps = 0;  ///< Operations gone through without threads that have exited.
  uint64_t globalWork = 0; ///< Accesses of global memory that are no polls.
  /// The thread that has polled for long while no other access happened, perhaps with barriers in
  /// between, or null. Until then a cluster whose threads move is not taken to spin.
  Thread *poller = nullptr;

  /// Since the last barrier of the whole CTA. Those of a cluster with several end with it.
  std::vector<AccessRange> epochRanges;
  std::vector<AccessRange> pastRanges; ///< Before it; compacted now and then.
  size_t pastCompacted = 0;
  /// Versions of what warps know since that barrier, of which some ranges and each warp have one:
  /// [snapshot][warp], its own clock, as known to another.
  std::vector<uint32_t> snapshots;
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
