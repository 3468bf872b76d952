// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorts the axis' coordinate bits by who holds them, and builds the layouts that scans need.

#include "tilec/Layout/ScanLayout.h"

#include "tilec/Layout/AxisHolders.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace tilec {

using Bases = std::vector<LinearLayout::Basis>;

int32_t ScanPlan::laneMask() const {
  int32_t mask = 0;
  for (unsigned bit : laneBits)
    mask |= 1 << bit;
  return mask;
}

std::optional<ScanPlan> planScan(const LinearLayout &layout, unsigned axis) {
  std::optional<std::vector<AxisHolder>> holders = holdersAlong(layout, axis);
  if (!holders)
    return std::nullopt;
  ScanPlan plan;
  for (const AxisHolder &holder : *holders) {
    if (holder.dim == kRegister) {
      bool isVector = plan.laneBits.empty() && plan.warpBits.empty();
      (isVector ? plan.vectorBits : plan.chunkBits).push_back(holder.bit);
      continue;
    }
    if (holder.dim == kBlock || !plan.chunkBits.empty())
      return std::nullopt;
    if (holder.dim == kWarp) {
      plan.warpBits.push_back(holder.bit);
      continue;
    }
    if (!plan.warpBits.empty() || (!plan.laneBits.empty() && plan.laneBits.back() > holder.bit))
      return std::nullopt;
    plan.laneBits.push_back(holder.bit);
  }
  return plan;
}

ScanTotalsLayouts scanTotalsLayouts(const LinearLayout &layout, unsigned axis,
                                    const ScanPlan &plan) {
  LinearLayout whole = toRegisterLayout(layout);
  auto basesOf = [&](llvm::StringRef dim) {
    Bases bases;
    for (int32_t bit = 0; bit < whole.getInDimSizeLog2(dim); ++bit) {
      bases.push_back(whole.getBasis(dim, bit));
      bases.back()[axis] = 0;
    }
    return bases;
  };
  Bases registers = basesOf(kRegister), lanes = basesOf(kLane), warps = basesOf(kWarp),
        blocks = basesOf(kBlock);
  for (auto [i, bit] : llvm::enumerate(plan.chunkBits))
    registers[bit][axis] = plan.numWarps() << i;
  Bases ownWarp = warps, allRegisters = registers;
  for (auto [i, bit] : llvm::enumerate(plan.warpBits)) {
    ownWarp[bit][axis] = 1 << i;
    allRegisters.push_back(warps[bit]);
    allRegisters.back()[axis] = 1 << i;
  }
  std::vector<LinearLayout::OutDim> outs = whole.getOutDims();
  outs[axis].second = plan.numWarps() * plan.numChunks();
  auto make = [&](const Bases &registerBases, const Bases &warpBases) {
    return removeRegisterReplication(
        llvm::cantFail(LinearLayout::create({{kRegister.str(), registerBases},
                                             {kLane.str(), lanes},
                                             {kWarp.str(), warpBases},
                                             {kBlock.str(), blocks}},
                                            outs)));
  };
  return {make(registers, ownWarp), make(allRegisters, warps)};
}

LinearLayout scanFriendlyLayout(Shape shape, unsigned axis, int32_t numWarps) {
  int64_t others = 1;
  std::vector<int32_t> order;
  for (int32_t dim : rowMajorOrder(shape.size()))
    if (dim != int32_t(axis)) {
      order.push_back(dim);
      others *= shape[dim];
    }
  order.push_back(int32_t(axis));
  // What the other dimensions leave of the threads splits the axis.
  int64_t threadsAlong = std::max<int64_t>(1, int64_t(numWarps) * 32 / others);
  std::vector<int32_t> sizePerThread(shape.size(), 1);
  sizePerThread[axis] = int32_t(std::max<int64_t>(1, shape[axis] / threadsAlong));
  return spreadBlockedLayout(shape, sizePerThread, order, numWarps);
}

} // namespace tilec
