// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the mechanism of a layout conversion and plans shuffles.
//
// Inside a warp the conversion reads, for destination register r and lane l,
//   source lane     Lr(r) ^ Ll(l)        source register  Rr(r) ^ Rl(l)
// (plus terms in the warp id). One shuffle per destination register is enough when every source
// lane is asked for one register at a time. Round k therefore serves destination register k ^ G(l)
// at lane l, with G chosen such that the source lane becomes an invertible map of l wherever the
// register asked for depends on it: then a lane knows its only reader and selects the register to
// send, and receivers put what arrives into place with selects by G. Swapping a register bit with a
// lane bit is the simplest case.

#include "tilec/Layout/Conversion.h"

#include "F2Span.h"
#include "tilec/Layout/MatrixAccess.h"
#include "tilec/Layout/TensorLayouts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <set>

namespace tilec {

namespace {

/// A linear map by its columns.
using Columns = std::vector<int32_t>;

int32_t applyMap(const Columns &columns, int32_t x) {
  return applyColumns<int32_t>(columns, uint32_t(x));
}

Columns mapColumns(const LinearLayout &map, llvm::StringRef in, llvm::StringRef out) {
  Columns columns;
  for (int32_t i = 0; i < map.getInDimSizeLog2(in); ++i)
    columns.push_back(map.getBasis(in, i, out));
  return columns;
}

bool isZeroMap(const Columns &columns) {
  return llvm::all_of(columns, [](int32_t c) { return c == 0; });
}

bool isIdentityMap(const Columns &columns) {
  for (size_t i = 0; i < columns.size(); ++i)
    if (columns[i] != int32_t(1) << i)
      return false;
  return true;
}

F2Span spanOf(const Columns &columns) {
  F2Span span;
  for (int32_t c : columns)
    span.insert(uint32_t(c));
  return span;
}

/// A basis of the kernel.
Columns kernelOf(const Columns &columns) {
  Columns kernel;
  F2Span span;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (std::optional<uint64_t> same = span.solve(uint32_t(columns[i])))
      kernel.push_back(int32_t(*same ^ (uint64_t(1) << i)));
    span.insert(uint32_t(columns[i]));
  }
  return kernel;
}

/// The block, warp and lane dimensions of both layouts brought to the same size by zero bases.
void matchSizes(LinearLayout &src, LinearLayout &dst) {
  src = toRegisterLayout(src);
  dst = toRegisterLayout(dst);
  for (llvm::StringRef dim : {kLane, kWarp, kBlock}) {
    int32_t size = std::max(src.getInDimSize(dim), dst.getInDimSize(dim));
    src = src.resizeInDim(dim, size);
    dst = dst.resizeInDim(dim, size);
  }
}

/// Writes a map from (lane, warp) to register XORs as layers of selects, one per dimension of its
/// image, with masks for the condition's parity.
std::vector<SelectLayer> selectLayers(const Columns &laneMap, const Columns &warpMap) {
  std::vector<SelectLayer> layers;
  F2Span span;
  auto add = [&](const Columns &columns, int32_t SelectLayer::*mask) {
    for (size_t i = 0; i < columns.size(); ++i) {
      uint64_t column = uint32_t(columns[i]);
      std::optional<uint64_t> parts = span.solve(column);
      if (!parts) {
        span.insert(column);
        parts = uint64_t(1) << layers.size();
        layers.emplace_back();
        layers.back().registerXor = columns[i];
      }
      for (uint64_t todo = *parts; todo; todo &= todo - 1)
        layers[llvm::countr_zero(todo)].*mask |= int32_t(1) << i;
    }
  };
  add(laneMap, &SelectLayer::laneMask);
  add(warpMap, &SelectLayer::warpMask);
  return layers;
}

/// Fills `live` backwards from the registers read after the last layer.
void markLive(std::vector<SelectLayer> &layers, std::set<int32_t> needed) {
  for (SelectLayer &layer : llvm::reverse(layers)) {
    layer.live.assign(needed.begin(), needed.end());
    for (int32_t r : layer.live)
      needed.insert(r ^ layer.registerXor);
  }
}

/// Shuffle plan for a conversion map that keeps warps and blocks in place, from positions of a
/// destination without replicated registers. `spareLanes` are lane XORs under which the source does
/// not change. nullopt when one shuffle per register is not enough.
std::optional<ShufflePlan> planShuffles(const LinearLayout &map, const Columns &spareLanes) {
  Columns laneOfRegister = mapColumns(map, kRegister, kLane);
  Columns laneOfLane = mapColumns(map, kLane, kLane);
  Columns laneOfWarp = mapColumns(map, kWarp, kLane);
  Columns registerOfRegister = mapColumns(map, kRegister, kRegister);
  Columns registerOfLane = mapColumns(map, kLane, kRegister);
  Columns registerOfWarp = mapColumns(map, kWarp, kRegister);
  size_t laneBits = laneOfLane.size();

  // Lanes that read the same source lane: those that also read the same register are harmless, the
  // others have to be told apart.
  Columns apart, harmless;
  {
    F2Span images;
    Columns kept;
    for (int32_t k : kernelOf(laneOfLane)) {
      uint64_t image = uint32_t(applyMap(registerOfLane, k));
      if (std::optional<uint64_t> same = images.solve(image)) {
        harmless.push_back(k ^ applyMap(kept, int32_t(*same)));
        continue;
      }
      images.insert(image);
      kept.push_back(k);
    }
    apart = kept;
  }

  // One functional of the lane per vector of `apart`: 1 on it, 0 on the others and the harmless.
  Columns functionals;
  {
    F2Span rows;
    for (size_t bit = 0; bit < laneBits; ++bit) {
      uint64_t row = 0;
      for (size_t j = 0; j < apart.size() + harmless.size(); ++j) {
        int32_t v = j < apart.size() ? apart[j] : harmless[j - apart.size()];
        row |= uint64_t((v >> bit) & 1) << j;
      }
      rows.insert(row);
    }
    for (size_t j = 0; j < apart.size(); ++j) {
      std::optional<uint64_t> functional = rows.solve(uint64_t(1) << j);
      if (!functional)
        return std::nullopt;
      functionals.push_back(int32_t(*functional));
    }
  }

  // Tell them apart by the destination register that they receive in a round (G), or by reading
  // another replica of the source.
  Columns receive(laneBits, 0);
  F2Span reached = spanOf(laneOfLane);
  for (int32_t functional : functionals) {
    auto addTo = [&](Columns &columns, int32_t value) {
      for (size_t bit = 0; bit < laneBits; ++bit)
        if ((functional >> bit) & 1)
          columns[bit] ^= value;
    };
    bool found = false;
    for (size_t r = 0; r < laneOfRegister.size() && !found; ++r) {
      if (reached.contains(uint32_t(laneOfRegister[r])))
        continue;
      reached.insert(uint32_t(laneOfRegister[r]));
      addTo(receive, int32_t(1) << r);
      found = true;
    }
    for (size_t z = 0; z < spareLanes.size() && !found; ++z) {
      if (reached.contains(uint32_t(spareLanes[z])))
        continue;
      reached.insert(uint32_t(spareLanes[z]));
      addTo(laneOfLane, spareLanes[z]);
      found = true;
    }
    if (!found)
      return std::nullopt;
  }

  // Source lane and register as functions of the reading lane, for a fixed round.
  Columns lane = laneOfLane, asked = registerOfLane;
  for (size_t bit = 0; bit < laneBits; ++bit) {
    lane[bit] ^= applyMap(laneOfRegister, receive[bit]);
    asked[bit] ^= applyMap(registerOfRegister, receive[bit]);
  }
  for (int32_t k : kernelOf(lane))
    if (applyMap(asked, k))
      return std::nullopt;

  // The same register as a function of the sending lane: solve lane(l) = s, unit vectors filling up
  // what nobody reads.
  F2Span solver = spanOf(lane);
  for (size_t bit = 0; bit < laneBits; ++bit)
    solver.insert(uint64_t(1) << bit);
  Columns send;
  for (size_t bit = 0; bit < laneBits; ++bit) {
    uint64_t reader = *solver.solve(uint64_t(1) << bit) & ((uint64_t(1) << laneBits) - 1);
    send.push_back(applyMap(asked, int32_t(reader)));
  }
  Columns sendOfWarp = registerOfWarp;
  for (size_t i = 0; i < sendOfWarp.size(); ++i)
    sendOfWarp[i] ^= applyMap(send, laneOfWarp[i]);

  ShufflePlan plan;
  plan.laneMap = lane;
  plan.warpMap = laneOfWarp;
  for (int32_t k = 0; k < map.getInDimSize(kRegister); ++k) {
    int32_t laneXor = applyMap(laneOfRegister, k);
    plan.laneXor.push_back(laneXor);
    plan.sendRegister.push_back(applyMap(registerOfRegister, k) ^ applyMap(send, laneXor));
  }
  plan.sendSelects = selectLayers(send, sendOfWarp);
  plan.receiveSelects = selectLayers(receive, Columns(laneOfWarp.size(), 0));
  markLive(plan.sendSelects, {plan.sendRegister.begin(), plan.sendRegister.end()});
  std::set<int32_t> all;
  for (size_t k = 0; k < plan.sendRegister.size(); ++k)
    all.insert(int32_t(k));
  markLive(plan.receiveSelects, all);
  return plan;
}

/// Cost model, in cycles of a multiprocessor per warp: a shuffle and a shared-memory wavefront take
/// one, a select takes half; a round trip through shared memory also waits for a barrier.
constexpr double kShuffleCost = 1.0;
constexpr double kSelectCost = 0.5;
constexpr double kWavefrontCost = 1.0;

} // namespace

llvm::StringRef conversionKindName(ConversionKind kind) {
  switch (kind) {
  case ConversionKind::None:
    return "none";
  case ConversionKind::Registers:
    return "registers";
  case ConversionKind::Shuffles:
    return "shuffles";
  case ConversionKind::SharedMemory:
    return "shared";
  case ConversionKind::CrossBlock:
    return "cross-block";
  }
  return "none";
}

bool ShufflePlan::isXorShuffle() const { return isIdentityMap(laneMap) && isZeroMap(warpMap); }

int32_t ShufflePlan::sourceLane(unsigned k, int32_t lane, int32_t warp) const {
  return laneXor[k] ^ applyMap(laneMap, lane) ^ applyMap(warpMap, warp);
}

int32_t ShufflePlan::numSelects() const {
  size_t count = 0;
  for (const SelectLayer &layer : sendSelects)
    count += layer.live.size();
  for (const SelectLayer &layer : receiveSelects)
    count += layer.live.size();
  return int32_t(count);
}

int32_t ShufflePlan::numShuffles() const {
  int32_t count = 0;
  for (size_t k = 0; k < sendRegister.size(); ++k)
    count += needsShuffle(k);
  return count;
}

LinearLayout conversionMap(const LinearLayout &srcLayout, const LinearLayout &dstLayout) {
  LinearLayout src = srcLayout, dst = dstLayout;
  matchSizes(src, dst);
  assert(src.getOutDims() == dst.getOutDims() && "layouts of different tensors");

  // Spans of the source's columns, growing from registers to blocks. `dims` is in that order, so a
  // solution's bits are the source's flattened position.
  const llvm::StringRef dims[] = {kRegister, kLane, kWarp, kBlock};
  F2Span spans[4];
  unsigned firstBit[4];
  unsigned bits = 0;
  for (int d = 0; d < 4; ++d) {
    firstBit[d] = bits;
    bits += src.getInDimSizeLog2(dims[d]);
    for (int level = d; level < 4; ++level)
      for (uint64_t basis : src.getFlatBases(dims[d]))
        spans[level].insert(basis);
  }

  std::vector<std::pair<std::string, std::vector<uint64_t>>> ins;
  for (int d = 0; d < 4; ++d) {
    std::vector<uint64_t> bases;
    llvm::ArrayRef<uint64_t> wanted = dst.getFlatBases(dims[d]);
    for (size_t i = 0; i < wanted.size(); ++i) {
      // At level 0 only the register may change, at level 1 also the lane, and so on.
      std::optional<uint64_t> solution;
      for (int level = 0; level < 4 && !solution; ++level) {
        bool keep = d > level;
        uint64_t rest = wanted[i] ^ (keep ? src.getFlatBasis(dims[d], i) : 0);
        solution = spans[level].solve(rest);
        if (solution && keep)
          *solution |= uint64_t(1) << (firstBit[d] + i);
      }
      assert(solution && "the source does not hold every element");
      bases.push_back(solution.value_or(0));
    }
    ins.emplace_back(dims[d].str(), std::move(bases));
  }
  std::vector<LinearLayout::OutDim> outs;
  for (llvm::StringRef dim : dims)
    outs.emplace_back(dim.str(), src.getInDimSize(dim));
  return LinearLayout::fromFlatBases(std::move(ins), std::move(outs));
}

ConversionPlan planConversion(const LinearLayout &srcLayout, const LinearLayout &dstLayout,
                              int32_t bitwidth, const ConversionOptions &options) {
  LinearLayout src = srcLayout, dst = dstLayout;
  matchSizes(src, dst);
  std::vector<int32_t> dstRegisterMap;
  LinearLayout uniqueDst = removeRegisterReplication(dst, &dstRegisterMap);

  ConversionPlan plan;
  plan.map = conversionMap(src, dst);
  LinearLayout map = conversionMap(src, uniqueDst);

  if (!map.sublayoutIsIdentity(kBlock, kBlock) ||
      !map.sublayoutIsZero({kRegister, kLane, kWarp}, {kBlock})) {
    plan.kind = ConversionKind::CrossBlock;
    return plan;
  }
  // Where blocks hold different tensors' parts, one block's shared memory has only its own part.
  bool withinWarp = map.sublayoutIsIdentity(kWarp, kWarp) &&
                    map.sublayoutIsZero({kRegister, kLane, kBlock}, {kWarp}) &&
                    map.sublayoutIsZero({kBlock}, {kRegister, kLane});
  bool withinThread = withinWarp && map.sublayoutIsIdentity(kLane, kLane) &&
                      map.sublayoutIsZero({kRegister, kWarp}, {kLane}) &&
                      map.sublayoutIsZero({kLane, kWarp}, {kRegister});
  if (withinThread) {
    Columns registers = mapColumns(map, kRegister, kRegister);
    bool same = src.getInDimSize(kRegister) == dst.getInDimSize(kRegister);
    for (size_t r = 0; r < dstRegisterMap.size(); ++r) {
      plan.registerMap.push_back(applyMap(registers, dstRegisterMap[r]));
      same &= plan.registerMap.back() == int32_t(r);
    }
    // Replicas may be read from any copy; an identical layout is the identity.
    if (src == dst) {
      same = true;
      for (size_t r = 0; r < plan.registerMap.size(); ++r)
        plan.registerMap[r] = int32_t(r);
    }
    plan.kind = same ? ConversionKind::None : ConversionKind::Registers;
    return plan;
  }

  int64_t wholeWords = (std::max(bitwidth, 1) + 31) / 32;
  auto words = double(wholeWords);
  std::optional<ShufflePlan> shuffles;
  if (withinWarp && !options.forceShared) {
    Columns spareLanes;
    llvm::ArrayRef<uint64_t> lanes = src.getFlatBases(kLane);
    F2Span laneSpan;
    for (size_t i = 0; i < lanes.size(); ++i) {
      if (std::optional<uint64_t> same = laneSpan.solve(lanes[i]))
        spareLanes.push_back(int32_t(*same ^ (uint64_t(1) << i)));
      laneSpan.insert(lanes[i]);
    }
    shuffles = planShuffles(map, spareLanes);
  }
  if (shuffles) {
    shuffles->resultRegister = dstRegisterMap;
    plan.shuffleCost =
        words * (kShuffleCost * shuffles->numShuffles() + kSelectCost * shuffles->numSelects());
  }

  std::vector<int32_t> srcRegisterMap;
  LinearLayout uniqueSrc = removeRegisterReplication(src, &srcRegisterMap);
  std::optional<SwizzledShared> byMatrices;
  if (options.storesMatrices)
    byMatrices = matrixSwizzle(uniqueSrc, uniqueDst, bitwidth);
  SwizzledShared shared =
      byMatrices ? std::move(*byMatrices) : optimalSwizzle(uniqueSrc, uniqueDst, bitwidth);
  plan.sharedCost =
      kBarrierCost + kWavefrontCost * (shared.store.wavefronts * shared.store.requests +
                                       shared.load.wavefronts * shared.load.requests);

  if (shuffles &&
      (options.forceShuffles || plan.shuffleCost <= options.shuffleBias * plan.sharedCost)) {
    plan.kind = ConversionKind::Shuffles;
    plan.cost = plan.shuffleCost;
    plan.shuffle = std::move(*shuffles);
    return plan;
  }
  plan.kind = ConversionKind::SharedMemory;
  plan.cost = plan.sharedCost;
  plan.shared = std::move(shared);
  plan.storeRegisters.assign(uniqueSrc.getInDimSize(kRegister), -1);
  for (size_t r = srcRegisterMap.size(); r-- > 0;)
    plan.storeRegisters[srcRegisterMap[r]] = int32_t(r);
  plan.loadRegisterMap = dstRegisterMap;
  return plan;
}

} // namespace tilec
