// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans the conversion of a tensor from one register layout to another. The plan names the cheapest
// mechanism and describes it completely, so that a lowering only has to emit it.
//
// Every destination position is mapped linearly to a source position that holds its element; among
// the replicas of an element the one in the same block, then warp, then lane is preferred. What is
// left of the map decides the mechanism.

#ifndef TILEC_LAYOUT_CONVERSION_H
#define TILEC_LAYOUT_CONVERSION_H

#include "tilec/Layout/LinearLayout.h"
#include "tilec/Layout/SharedSwizzle.h"

namespace tilec {

/// What a barrier of the CTA costs, in the unit of the cost models: one access of a warp to shared
/// memory without conflicts.
constexpr double kBarrierCost = 24;

enum class ConversionKind {
  /// Destination register r is source register r.
  None,
  /// Renaming of registers: ConversionPlan::registerMap.
  Registers,
  /// Inside each warp: ConversionPlan::shuffle.
  Shuffles,
  /// Through shared memory: ConversionPlan::shared.
  SharedMemory,
  /// Data moves between blocks of a cluster: no mechanism is planned.
  CrossBlock,
};

/// "none", "registers", "shuffles", "shared", "cross-block".
llvm::StringRef conversionKindName(ConversionKind kind);

/// One layer of selects over a file of registers. With
///   p = parity(lane & laneMask) ^ parity(warp & warpMask)
/// register i becomes p ? old[i ^ registerXor] : old[i], all registers at once (read the old file).
struct SelectLayer {
  int32_t registerXor = 0;
  int32_t laneMask = 0;
  int32_t warpMask = 0;
  /// The registers whose new value is needed; others need not be computed. Sorted.
  std::vector<int32_t> live;
};

/// A conversion inside each warp. Execute in order:
///   1. file = source registers; apply `sendSelects`, one layer after the other;
///   2. got[k] = shuffle.idx(file[sendRegister[k]], sourceLane(k, lane, warp)) for every k, where
///      sourceLane = laneXor[k] ^ (XOR of laneMap[i] over the set bits i of the lane id)
///                              ^ (XOR of warpMap[i] over the set bits i of the warp id);
///      without `needsShuffle(k)` got[k] = file[sendRegister[k]];
///   3. file = got; apply `receiveSelects`;
///   4. destination register r = file[resultRegister[r]].
struct ShufflePlan {
  std::vector<SelectLayer> sendSelects;
  std::vector<int32_t> sendRegister;
  std::vector<int32_t> laneXor;
  std::vector<int32_t> laneMap;
  std::vector<int32_t> warpMap;
  std::vector<SelectLayer> receiveSelects;
  std::vector<int32_t> resultRegister;

  /// The source lane of every k is the lane itself up to laneXor[k]: shuffle.xor will do.
  bool isXorShuffle() const;
  bool needsShuffle(unsigned k) const { return laneXor[k] != 0 || !isXorShuffle(); }
  int32_t sourceLane(unsigned k, int32_t lane, int32_t warp) const;

  /// Instructions per thread for elements of one 32-bit word.
  int32_t numSelects() const;
  int32_t numShuffles() const;
};

struct ConversionPlan {
  ConversionKind kind = ConversionKind::None;
  /// Destination position -> source position (register, lane, warp, block on both sides).
  LinearLayout map;
  /// None, Registers: source register of every destination register.
  std::vector<int32_t> registerMap;
  /// Shuffles.
  ShufflePlan shuffle;
  /// SharedMemory. The buffer's accesses count registers without replicas: register k of
  /// shared.store.offsets is source register storeRegisters[k], and destination register r is what
  /// register loadRegisterMap[r] of shared.load.offsets has loaded.
  SwizzledShared shared;
  std::vector<int32_t> storeRegisters;
  std::vector<int32_t> loadRegisterMap;
  /// Estimated cost of the chosen mechanism and of the ones that were possible, in issue slots per
  /// warp; negative when the mechanism is not possible.
  double cost = 0;
  double shuffleCost = -1;
  double sharedCost = -1;
};

struct ConversionOptions {
  /// Shuffles are chosen when their cost is at most this many times the shared-memory cost.
  double shuffleBias = 1.0;
  /// The target has stmatrix.
  bool storesMatrices = false;
  /// Forces the route through shared memory for whatever moves between lanes, for tests.
  bool forceShared = false;
  /// Forces shuffles where they are possible, for tests.
  bool forceShuffles = false;
};

/// Destination position -> source position with src(map(x)) == dst(x), preferring the position's
/// own block, warp and lane, in this order. Both layouts are surjective on the same shape.
LinearLayout conversionMap(const LinearLayout &src, const LinearLayout &dst);

/// Plans src -> dst for elements of `bitwidth` bits. Both are register layouts, surjective on the
/// same shape.
ConversionPlan planConversion(const LinearLayout &src, const LinearLayout &dst, int32_t bitwidth,
                              const ConversionOptions &options = {});

} // namespace tilec

#endif // TILEC_LAYOUT_CONVERSION_H
