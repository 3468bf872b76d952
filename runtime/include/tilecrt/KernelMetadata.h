// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the compiler tells the runtime about one compiled kernel: how to launch it, what its
// arguments are, which resources it takes and where its code came from. The compiler writes it as
// JSON beside the cubin; every runtime (CUDA, simulator) reads it. Standard library only, as
// the compiler includes it, too.

#ifndef TILECRT_KERNELMETADATA_H
#define TILECRT_KERNELMETADATA_H

#include "tilecrt/Result.h"

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tilecrt {

/// How the bytes of an argument are to be understood.
enum class ArgumentKind { pointer, integer, floating };

/// One kernel argument, in launch order. Compile-time constants are not arguments.
struct KernelArgument {
  std::string name;
  /// Triton's notation without the specialisation suffix: "*fp32", "i32", "fp32", ...
  std::string type;
  ArgumentKind kind = ArgumentKind::integer;
  /// Bytes the argument takes in the launch buffer; 8 for a pointer.
  uint32_t sizeBytes = 0;
  /// The value (for a pointer: the address in bytes) is a multiple of this; 1 promises nothing.
  /// The launcher checks it.
  uint32_t divisibility = 1;
  /// The kernel never writes through this pointer.
  bool isConst = false;
};

/// A tensor map (the driver's CUtensorMap, 128 bytes) that the kernel takes by value behind its
/// other arguments and that the launcher encodes from their values.
struct TensorMapArgument {
  /// The pointer to the tensor: the number of an argument.
  uint32_t base = 0;
  /// Triton's notation: "fp16", "fp8e4nv", "i32", ...; "u32" and "u64" for reductions that need it.
  std::string elementType;
  /// Sizes in elements, the outermost first, in postfix notation: "%2" is the value of argument 2,
  /// "%2 %3 *" a product; + - * / (towards zero), > (the larger one) and decimal numbers.
  std::vector<std::string> shape;
  /// Elements from one to the next along every dimension but the last, whose stride is 1.
  std::vector<std::string> strides;
  /// Elements of one copy, the outermost dimension first.
  std::vector<uint32_t> box;
  /// 0, 32, 64 or 128.
  uint32_t swizzleBytes = 0;
  /// Whether elements outside of the tensor read as NaN instead of zero.
  bool fillsNan = false;
  /// Whether the source has pointers, of which the compiler has inferred the tensor: where there is
  /// no such map, it is compiled without tensor copies.
  bool isInferred = false;
};

/// One compile-time constant and its value as source text.
struct KernelConstant {
  std::string name;
  std::string value;
};

/// Where one operation came from. `site` is the number that the lowering gave the operation: the
/// operation site id for the simulator, the PTX line for a GPU target.
struct LineMapEntry {
  uint32_t site = 0;
  std::string file;
  /// Both from 1; 0 when not known.
  uint32_t line = 0;
  uint32_t column = 0;
  /// The source line or the operation's name, for messages; may be empty.
  std::string text;
};

/// Something that warps do, and that a timeline shows as spans.
struct TimelineEvent {
  uint32_t id = 0;
  /// "copy-wait", "dot", "iteration", ...
  std::string kind;
  std::string file;
  /// Both from 1; 0 when not known.
  uint32_t line = 0;
  uint32_t column = 0;
  /// Of a dot, the groups that it commits; of a wait for dots, those that it leaves in flight.
  uint32_t groups = 0;
};

/// Some warps of a CTA, from the last ones' end on.
struct TimelineRole {
  /// "compute" or "load"; empty where all warps do the same.
  std::string name;
  uint32_t warps = 0;
};

/// What the marks of a kernel mean that was compiled with a timeline (tilecrt/TimelineBuffer.h).
/// The buffer for them is the last argument.
struct KernelTimeline {
  /// Marks of a warp that are kept; 0: the kernel has no marks.
  uint32_t capacity = 0;
  /// CTAs whose warps write marks, x counting fastest.
  uint32_t firstCta = 0, lastCta = 0;
  std::vector<TimelineRole> roles;
  std::vector<TimelineEvent> events;
};

/// The name of the buffer's argument, which no parameter of a kernel has.
constexpr const char *timelineArgument = "<timeline>";

/// Everything about one compiled kernel. A member that is not known keeps its default.
struct KernelMetadata {
  /// The entry symbol in the module.
  std::string name;
  /// "sm_90a", "sm_80", ..., "sim".
  std::string target;
  uint32_t numWarps = 4;
  uint32_t numStages = 1;
  uint32_t threadsPerCta = 128;
  uint32_t dynamicSharedBytes = 0;
  uint32_t staticSharedBytes = 0;
  /// Registers and local-memory spill bytes per thread as ptxas reported; -1 when not known.
  int32_t registers = -1;
  int32_t spillBytes = -1;
  /// CTAs per cluster in each dimension; 1,1,1 is a plain launch.
  uint32_t clusterX = 1;
  uint32_t clusterY = 1;
  uint32_t clusterZ = 1;
  /// CTAs, all those of a cluster, that run one program together: the launch has this many times
  /// the grid's programs along x.
  uint32_t splitK = 1;
  /// Launched with at most as many CTAs as fit at once, along x. Behind the tensor maps the kernel
  /// takes three numbers of 32 bits: the programs of the grid in x, y and z, which its CTAs run.
  bool isPersistent = false;
  /// Of a persistent kernel: its CTAs take programs from a counter. Behind the numbers of programs
  /// the kernel takes the address of an unsigned number of 32 bits in global memory, which is zero
  /// when a launch begins and when it has ended. Launches that may run at once have one each.
  bool hasProgramCounter = false;

  std::vector<KernelArgument> arguments;
  /// Kernel parameters behind the arguments.
  std::vector<TensorMapArgument> tensorMaps;
  std::vector<KernelConstant> constants;
  std::vector<LineMapEntry> lineMap;
  KernelTimeline timeline;
  /// Properties that do not have a member yet, name to text, in order; unknown ones are ignored.
  std::vector<std::pair<std::string, std::string>> properties;
  /// The compiler that made it.
  std::string tilecVersion;
};

/// The largest format number that is read; a reader refuses a larger one than it knows. What all
/// readers understand is written as 1.
constexpr uint32_t kernelMetadataVersion = 4;

/// The versions that runtimes have to read for a persistent kernel, for one with split-K, and for
/// one with a counter of programs.
constexpr uint32_t persistentMetadataVersion = 2;
constexpr uint32_t splitKMetadataVersion = 3;
constexpr uint32_t programCounterMetadataVersion = 4;

/// Most programs of a persistent kernel, whose numbers have 31 bits even one turn past the last.
constexpr uint64_t maxPersistentPrograms = uint64_t(1) << 30;

/// The CTAs that a launch of a persistent kernel has where `resident` fit at once.
inline uint32_t persistentCtas(uint64_t programs, uint64_t resident) {
  return static_cast<uint32_t>(programs < resident ? programs : resident);
}

/// Whether a grid has more programs than run at once; `atOnce` is 0 where that is any number.
inline bool takesSeveralTurns(const std::array<uint32_t, 3> &grid, uint64_t atOnce) {
  uint64_t plane = uint64_t(grid[0]) * grid[1];
  return atOnce != 0 && grid[2] != 0 && plane > atOnce / grid[2];
}

/// Most CTAs of a launch along x.
constexpr uint64_t mostCtasAlongX = 0x7fffffff;

/// The CTAs along x of a launch with so many programs there; they may be more than mostCtasAlongX.
inline uint64_t ctasAlongX(uint64_t programs, uint32_t splitK) {
  return programs * (splitK > 1 ? splitK : 1);
}

/// Whether a grid of programs has whole clusters only. A persistent kernel is launched with whole
/// clusters, whatever its grid.
inline bool hasWholeClusters(const KernelMetadata &metadata, const std::array<uint32_t, 3> &grid) {
  auto isWhole = [](uint64_t ctas, uint32_t cluster) {
    return cluster <= 1 || ctas % cluster == 0;
  };
  return metadata.isPersistent ||
         (isWhole(ctasAlongX(grid[0], metadata.splitK), metadata.clusterX) &&
          isWhole(grid[1], metadata.clusterY) && isWhole(grid[2], metadata.clusterZ));
}

/// JSON text (two-space indent, one final newline, keys in a fixed order: deterministic). Bytes
/// that are not UTF-8 are replaced by U+FFFD.
std::string toJson(const KernelMetadata &metadata);

/// Reads what toJson wrote. Unknown keys are ignored, missing optional ones keep their defaults;
/// "name" and "target" are required. An error names the key, the expected and the given kind.
Result<KernelMetadata> fromJson(const std::string &text);

} // namespace tilecrt

#endif // TILECRT_KERNELMETADATA_H
