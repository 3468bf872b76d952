// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether warps of their own start the tensor copies of a function's loops, how many, and how the
// registers are parted between them and the warps that compute.

#ifndef TILEC_ANALYSIS_ROLEPLAN_H
#define TILEC_ANALYSIS_ROLEPLAN_H

#include "tilec/Analysis/LoopSchedule.h"
#include <optional>

namespace tilec {

/// The decision for one function. All its tensor copies that run ahead go to load warps, or none.
struct RolePlan {
  bool hasLoadWarps = false;
  /// Whether two groups of computing warps are to take the tiles in turn (tilegpu-ping-pong).
  bool isPingPong = false;
  /// Where somebody has asked for them and they cannot be had: which operation is in the way, and
  /// why.
  mlir::Operation *obstacle = nullptr;
  llvm::StringRef reason;
};

/// Plans the roles of `func`, whose loops have these schedules. `warp_specialize` of a loop, or of
/// one around it, decides; else `forced`; else the cost: load warps are for loops in which
/// threads compute between dots, for those that make one tile of a product after the other, and, if
/// `inCluster`, for all with dots, as only load warps copy what the programs of a cluster share; in
/// kernels whose shared memory leaves a multiprocessor to one CTA, where nothing else hides what
/// the warps wait for. A kernel of one warpgroup that makes one tile after the other with so much
/// memory gets a second one, which multiplies while the first one stores its tile.
RolePlan planRoles(mlir::func::FuncOp func, llvm::ArrayRef<LoopSchedule> schedules,
                   std::optional<bool> forced, bool inCluster);

/// The slots, two at most, of a block of `bytes` that load warps copy once for each program or tile
/// of `scope`, beside rings of `ringBytes`: with two slots the next one's block arrives while this
/// one's is read. One where there is memory for that only beside a tile that leaves in parts
/// (StoreParts.h), 0 where there is none beside what is stored through shared memory.
int64_t slotsBeside(mlir::Operation *scope, int64_t ringBytes, int64_t bytes);

/// Whether it pays that a CTA runs one program of `func` after the other, where no other CTA has
/// room beside it: with a loop over programs around it load warps start the copies of the next one
/// while this one ends. So it is where each makes one tile of a product, and where each computes
/// between dots (attention) and copies a block once (the queries) of which there can be a slot.
/// Not for kernels with a loop over tiles of their own.
bool gainsFromTurns(mlir::func::FuncOp func, llvm::ArrayRef<LoopSchedule> schedules);

/// Gives the tensor copies of the loops to load warps where `plan` has them. Where it has none, the
/// warps of loops in which more than one warpgroup computes between dots release slots one by one
/// (`LoopSchedule::releasesSlots`), so that one multiplies while another one computes; elsewhere a
/// barrier is cheaper.
void applyRoles(const RolePlan &plan, llvm::MutableArrayRef<LoopSchedule> schedules);

/// What `warp_specialize` of a loop, or of one around it, says.
std::optional<bool> asksForRoles(mlir::scf::ForOp loop);

/// The warps that are launched for loading beside `numWarps` that compute. One of them starts all
/// copies. Where the computing warps would fill the registers, there is a whole warpgroup of them:
/// only warpgroups can hand registers over (PTX ISA, "setmaxnreg").
int loadWarpsFor(int numWarps);

/// Registers of a thread after those that load have given theirs away.
struct RoleRegisters {
  int load = 0;
  int compute = 0;
};

/// What `setmaxnreg` asks for in the module of `op`; nothing where all threads keep what they were
/// launched with.
std::optional<RoleRegisters> roleRegistersOf(mlir::Operation *op);

} // namespace tilec

#endif // TILEC_ANALYSIS_ROLEPLAN_H
