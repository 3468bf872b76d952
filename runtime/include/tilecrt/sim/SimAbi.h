// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that simulated kernel code calls: the host version of a lowered GPU kernel has
// every thread-level operation with an effect outside the thread replaced by one of these calls.
//
// Every call acts for the simulated thread that runs at this moment on the calling host thread.
// They may only be called from inside `tilecrt::sim::launch`; elsewhere they do nothing and answer
// zero. `site` is an index in `LaunchConfig::sites`; -1 or an index past its end means "no known
// place". Predicates are int32_t: zero is false, anything else is true.
#ifndef TILECRT_SIM_SIMABI_H
#define TILECRT_SIM_SIMABI_H

#include <cstdint>

namespace tilecrt::sim::abi {

/// Values of `mode` of tilec_sim_shfl, in the order of NVVM's shfl kinds as PTX names them.
enum ShuffleMode : int32_t { ShuffleIdx = 0, ShuffleUp = 1, ShuffleDown = 2, ShuffleBfly = 3 };

/// Values of `kind` of tilec_sim_redux. Min and Max are signed. The F kinds read the value as f32
/// and drop a NaN operand; the NaN kinds give NaN (0x7fffffff) when any operand is NaN.
enum ReduxKind : int32_t {
  ReduxAdd = 0,
  ReduxMin = 1,
  ReduxMax = 2,
  ReduxUMin = 3,
  ReduxUMax = 4,
  ReduxAnd = 5,
  ReduxOr = 6,
  ReduxXor = 7,
  ReduxFMin = 8,
  ReduxFMax = 9,
  ReduxFMinNaN = 10,
  ReduxFMaxNaN = 11
};

/// Values of `kind` of tilec_sim_vote. Any, All and Uni answer 0 or 1, Ballot answers the lane
/// mask.
enum VoteKind : int32_t { VoteAny = 0, VoteAll = 1, VoteBallot = 2, VoteUni = 3 };

/// Values of `op` of tilec_sim_atomic. Max and Min are signed for integers; the U forms are
/// unsigned. Load and Store are single accesses that take part in no data race (ld.acquire,
/// st.release, ld.volatile, ...); Load ignores the operand, Store ignores the result.
enum AtomicOp : int32_t {
  AtomicAdd = 0,
  AtomicMax = 1,
  AtomicMin = 2,
  AtomicUMax = 3,
  AtomicUMin = 4,
  AtomicAnd = 5,
  AtomicOr = 6,
  AtomicXor = 7,
  AtomicXchg = 8,
  AtomicCas = 9,
  AtomicLoad = 10,
  AtomicStore = 11
};

/// Values of `type` of tilec_sim_atomic. Bits8 and Bits16 only with Xchg, Cas, Load and Store. And,
/// Or and Xor only with I32 and I64. The x2 types are two values in one 32-bit word, with Add, Min
/// and Max.
enum AtomicType : int32_t {
  AtomicI32 = 0,
  AtomicI64 = 1,
  AtomicF32 = 2,
  AtomicF64 = 3,
  AtomicF16 = 4,
  AtomicBF16 = 5,
  AtomicF16x2 = 6,
  AtomicBF16x2 = 7,
  AtomicBits16 = 8,
  AtomicBits8 = 9
};

/// Values of `space` of tilec_sim_atomic: what `address` is.
enum AddressSpace : int32_t { SpaceGlobal = 0, SpaceShared = 1, SpaceSharedCluster = 2 };

/// Values of `order` of tilec_sim_atomic. The race check uses it: an acquire that sees a release
/// orders the two CTAs. The operation itself is always performed sequentially consistent.
enum MemoryOrder : int32_t {
  OrderRelaxed = 0,
  OrderAcquire = 1,
  OrderRelease = 2,
  OrderAcqRel = 3
};

/// Values of `scope` of tilec_sim_fence.
enum FenceScope : int32_t { FenceCta = 0, FenceGpu = 1, FenceSystem = 2 };

/// Values of `kind` of tilec_sim_print: how `payload` is to be read.
enum PrintKind : int32_t {
  PrintText = 0, ///< No payload, only the prefix.
  PrintI64 = 1,  ///< Signed integer (narrow types sign-extended by the caller).
  PrintU64 = 2,  ///< Unsigned integer.
  PrintF32 = 3,  ///< Low 32 bits are a float.
  PrintF64 = 4,  ///< The 64 bits are a double.
  PrintHex = 5,  ///< Hexadecimal, with 0x; bits 8 and up are the digits to pad to.
  PrintBool = 6  ///< True or False.
};

/// Values of `instructionClass` of tilec_sim_count.
enum InstructionClass : int32_t {
  ClassInteger = 0,
  ClassFloat = 1,
  ClassSpecial = 2,
  ClassConvert = 3,
  ClassControl = 4,
  ClassTensor = 5,
  ClassMemory = 6,
  ClassOther = 7,
  /// Of integers, in multiplications of 32 bits.
  ClassMultiply = 8,
  NumInstructionClasses = 9
};

} // namespace tilecrt::sim::abi

extern "C" {

/// Coordinates of the running thread; `axis` is 0 (x), 1 (y) or 2 (z), another axis answers 0.
int32_t tilec_sim_tid(int32_t axis);
int32_t tilec_sim_ctaid(int32_t axis);
int32_t tilec_sim_ntid(int32_t axis);
int32_t tilec_sim_nctaid(int32_t axis);
/// The thread begins with another program of a grid: what is found and printed is that one's.
/// Before the first call it is the one at the CTA's coordinates.
void tilec_sim_enter_program(int32_t x, int32_t y, int32_t z);
int32_t tilec_sim_program(int32_t axis);
/// Lane in the warp (0..31) and warp in the CTA; threads are numbered x fastest.
int32_t tilec_sim_laneid(void);
int32_t tilec_sim_warpid(void);
/// Calls of this interface that threads of the CTA have made so far: an order, not a time.
int64_t tilec_sim_clock(void);

/// One access of `bytes` (1..32) at a global address, as one instruction: the k-th execution of a
/// site by the lanes of a warp forms one request. With `pred` false nothing is accessed and `dst`
/// is left as it is (so the caller can put the masked-off value there first), but the lane counts
/// as taking part. `addr` must be a multiple of the largest power of two that divides `bytes`. An
/// access that is not wholly inside one registered buffer reads zeros or is dropped.
void tilec_sim_global_load(const void *addr, void *dst, int32_t bytes, int32_t pred, int32_t site);
void tilec_sim_global_store(void *addr, const void *src, int32_t bytes, int32_t pred, int32_t site);

/// The same for shared memory; `offset` counts bytes from the start of the CTA's shared window
/// (LaunchConfig::sharedBytes long).
void tilec_sim_shared_load(uint32_t offset, void *dst, int32_t bytes, int32_t pred, int32_t site);
void tilec_sim_shared_store(uint32_t offset, const void *src, int32_t bytes, int32_t pred,
                            int32_t site);
/// A load of 1 to 8 bytes as its value, for callers that declare it as a function that only reads:
/// the compiler then has equal ones done once, as that of a GPU does with loads of shared memory.
uint64_t tilec_sim_shared_value(uint32_t offset, int32_t bytes, int32_t site);

/// Host pointer of the CTA's shared window, 1024-byte aligned, for code that is not instrumented:
/// accesses through it are neither checked nor counted (but reads of bytes written so count as
/// uninitialised).
void *tilec_sim_shared_base(void);

/// bar.sync id, nthreads (barrier.cta.sync.aligned): waits for `nthreads` threads, a multiple of
/// 32, or with 0 for all threads of the CTA. Orders global and shared memory of the threads that
/// take part.
void tilec_sim_barrier(int32_t id, int32_t nthreads, int32_t site);

/// bar.arrive id, nthreads: counts as arrived and goes on. `nthreads` must not be 0.
void tilec_sim_barrier_arrive(int32_t id, int32_t nthreads, int32_t site);

/// bar.warp.sync: waits for the lanes of `mask` and orders their memory accesses.
void tilec_sim_warp_barrier(uint32_t mask, int32_t site);

/// shfl.sync with PTX's operands: `clampSegment` is c (segment mask in bits 12:8, clamp in bits
/// 4:0).
/// `*inRange` (may be null) gets PTX's predicate as 0 or 1. Does not order memory.
uint32_t tilec_sim_shfl(int32_t mode, uint32_t mask, uint32_t value, uint32_t laneOrDelta,
                        uint32_t clampSegment, int32_t *inRange, int32_t site);

/// redux.sync: the reduction of `value` over the lanes of `mask`.
uint32_t tilec_sim_redux(int32_t kind, uint32_t mask, uint32_t value, int32_t site);

/// vote.sync and match.any.sync (the mask of the lanes of `mask` that gave the same value; the
/// lower `bits`, 32 or 64, count).
uint32_t tilec_sim_vote(int32_t kind, uint32_t mask, int32_t pred, int32_t site);
uint32_t tilec_sim_match_any(uint32_t mask, uint64_t value, int32_t bits, int32_t site);

/// activemask: the lanes of the warp that have not finished.
uint32_t tilec_sim_activemask(void);

/// One atomic read-modify-write, really atomic between CTAs. `address` is a pointer (SpaceGlobal)
/// or an offset in the shared window (SpaceShared), or an address of SimClusterAbi.h
/// (SpaceSharedCluster). `operand` holds the value, `compare` the
/// expected value (AtomicCas only), `result`, which may be null, gets the old value; each as wide
/// as the type. With `pred` false, or out of bounds, nothing is accessed; out of bounds the result
/// is zero.
void tilec_sim_atomic(int32_t op, int32_t type, int32_t space, uint64_t address,
                      const void *operand, const void *compare, void *result, int32_t order,
                      int32_t pred, int32_t site);

/// fence.acq_rel / membar at the given scope.
void tilec_sim_fence(int32_t scope, int32_t site);

/// Reports a failed device assertion and stops the CTA: inside a launch it does not return.
void tilec_sim_assert_fail(const char *message, int32_t site);

/// Stops the CTA with a finding: inside a launch it does not return.
void tilec_sim_trap(int32_t site);

/// Adds a line to LaunchResult::printed: `prefix` followed by the payload as `kind` says.
void tilec_sim_print(const char *prefix, int32_t kind, uint64_t payload, int32_t site);

/// Counts `amount` executed instructions of a class for the running thread (one call a block is
/// enough).
void tilec_sim_count(int32_t instructionClass, int32_t amount, int32_t site);

} // extern "C"

#endif // TILECRT_SIM_SIMABI_H
