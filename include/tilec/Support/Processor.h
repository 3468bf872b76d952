// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The processors that code is made for: one table of what each can do, what it holds and how fast
// it is. A module says its processor by name (`tile.target`); passes ask for a feature or a limit,
// never for a number of the name.

#ifndef TILEC_SUPPORT_PROCESSOR_H
#define TILEC_SUPPORT_PROCESSOR_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace tilec {

/// What a processor can do, as far as code is made in another way for it. The processors named are
/// the first that have it.
enum class Feature : uint8_t {
  /// ldmatrix. sm_75.
  MatrixLoad,
  /// mma.sync of 16-bit floats, tf32, fp64 and int8. sm_80.
  Mma,
  /// cp.async: copies from global to shared memory that are waited for later. sm_80.
  AsyncCopy,
  /// redux.sync: integers of a warp in one instruction. sm_80.
  WarpReduction,
  /// L2 eviction priorities, also beside a cache modifier. sm_80.
  CachePolicy,
  /// The same for cp.async. sm_80 to sm_89: for sm_90 ptxas gives it a wrong encoding before CUDA
  /// 13.4, which is an illegal instruction.
  AsyncCopyPolicy,
  /// cvt between 8-bit floats and others. sm_89.
  Float8Conversion,
  /// mma.sync of 8-bit floats with sums in fp32. sm_89.
  Float8Mma,
  /// The same with sums in fp16, which came with PTX 8.7. sm_100.
  Float8MmaHalfSums,
  /// red and atom of bf16. sm_90.
  BFloat16Atomics,
  /// red and atom of vectors of up to 16 bytes. sm_90.
  VectorAtomics,
  /// stmatrix. sm_90.
  MatrixStore,
  /// The second-level cache brings whole lines of which a copy asks for a part, if it says so:
  /// worth it on sm_90.
  LineFetch,
  /// Clusters of programs. sm_90.
  Clusters,
  /// griddepcontrol: launches that begin before the one before has ended. sm_90.
  DependentLaunch,
  /// Tensor maps, their copies (cp.async.bulk.tensor) and mbarriers that count bytes. sm_90a.
  TensorCopy,
  /// wgmma. sm_90a, and none after it.
  Wgmma,
  /// Accesses of 32 bytes to global memory. sm_100.
  WideAccess,
};

struct Processor {
  /// As PTX's .target line writes it: "sm_90a".
  llvm::StringLiteral name;
  /// 90 for "sm_90a".
  int computeCapability;
  /// PTX versions, major * 10 + minor: the oldest that has the processor, and the one to write when
  /// nobody asks for one: old enough for the drivers and the ptxas in use, new enough for every
  /// instruction that is emitted for the processor.
  unsigned oldestPTX;
  unsigned defaultPTX;

  /// What a multiprocessor holds at a time.
  int maxThreads;
  int maxCtas;
  /// Shared memory of a multiprocessor and, of that, what the system takes for each CTA.
  int sharedBytes;
  int systemSharedBytes;

  /// One bit for each feature.
  uint32_t features;

  /// fp16 operations of a multiprocessor's tensor cores, and bytes between it and the L2 cache, in
  /// a microsecond.
  double tensorOpsPerMicrosecond;
  double cacheBytesPerMicrosecond;

  bool has(Feature feature) const { return features >> unsigned(feature) & 1; }
  /// Shared memory that one CTA can have.
  int maxSharedBytesPerCta() const { return sharedBytes - systemSharedBytes; }
  /// Bytes of the widest load or store of global memory.
  unsigned maxAccessBytes() const { return has(Feature::WideAccess) ? 32 : 16; }

  static constexpr int kWarpSize = 32, kMaxThreadsPerCta = 1024;
  /// 32-bit registers of a multiprocessor. Threads take multiples of a unit.
  static constexpr int kRegisters = 65536, kRegisterUnit = 8;
  /// What a thread can be limited to.
  static constexpr int kMinRegistersPerThread = 16, kMaxRegistersPerThread = 255;

  /// The most registers of each thread when so many are resident.
  static constexpr int registersPerThread(int64_t threads) {
    return std::min<int>(kMaxRegistersPerThread,
                         kRegisters / threads / kRegisterUnit * kRegisterUnit);
  }
  /// How many CTAs of so many threads the registers are enough for.
  static constexpr int ctasByRegisters(int64_t threads, int registers) {
    int taken = (std::max(registers, 1) + kRegisterUnit - 1) / kRegisterUnit * kRegisterUnit;
    return kRegisters / (taken * threads);
  }
};

/// The processor that code is made for when nobody says which.
const Processor &defaultProcessor();

/// The processor of this name ("sm_90a"). An error lists the known ones.
llvm::Expected<const Processor *> findProcessor(llvm::StringRef name);

/// A compile target: a processor, or something on the host that runs code made for one.
struct CompileTarget {
  enum class Kind { Gpu, Simulator, Interpreter };
  Kind kind;
  const Processor *processor;
};

/// The target of this name: that of a processor, "sim" (with the default processor's code),
/// "sim:PROCESSOR" or "interp".
llvm::Expected<CompileTarget> findTarget(llvm::StringRef name);

/// Whether `target` is the name of a simulator's.
bool isSimulator(llvm::StringRef target);

/// The simulator of the same code ("sim:sm_80" for "sm_80"; "sim" for the default processor), or
/// `target` itself if that runs on the host.
std::string simulatorOf(llvm::StringRef target);

/// The processor to compile for on a GPU of compute capability `major`.`minor`: the one with the
/// GPU's own instructions where there is one, else the newest whose code runs there; null for GPUs
/// older than all.
const Processor *processorOfGpu(int major, int minor);

/// The newest PTX version that the back end can write.
constexpr unsigned kNewestPTX = 90;

/// The PTX version to write for a processor: `requested`, or the default when it is 0. An error
/// when the processor or the back end does not have the version.
llvm::Expected<unsigned> choosePTXVersion(const Processor &processor, unsigned requested);

} // namespace tilec

#endif // TILEC_SUPPORT_PROCESSOR_H
