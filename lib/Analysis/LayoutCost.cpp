// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cost estimates. A global access is seen as a linear map from register and lane to the address:
// known strides where the axis analysis knows runs, far apart otherwise; the lines that an
// instruction and the sectors that a warp touches are ranks of that map.

#include "tilec/Analysis/LayoutCost.h"

#include "tilec/Analysis/BufferFill.h"
#include "tilec/Analysis/GlobalAccess.h"
#include "tilec/Analysis/LayoutRules.h"
#include "tilec/Layout/Conversion.h"
#include "tilec/Layout/ScanLayout.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// Issue and address of one memory instruction, one 128-byte line of it, one 32-byte sector from
/// the second-level cache.
static constexpr double kRequestCost = 4, kLineCost = 1, kSectorCost = 1.5;
/// A warp's shuffle, a barrier and what is waited for at it.
static constexpr double kShuffleCost = 1;
/// The round trip through shared memory on top of what planConversion counts: a program with one
/// tile has nothing to do meanwhile, and in a loop a second barrier protects the buffer.
static constexpr double kSharedRoundTripCost = 24;
/// Register moves at most. Not nothing, so that chains of them end somewhere.
static constexpr double kMoveCost = 0.125;
/// What threads wait for data that they load themselves.
static constexpr double kLatencyCost = 100;
static constexpr double kUnknownTripCount = 16, kMaxFrequency = 1e6;
static constexpr double kBranchFrequency = 0.5, kRemainderFrequency = 0.125;

//===--------------------------------------------------------------------------------------------===//
// Frequencies
//===--------------------------------------------------------------------------------------------===//

/// How often the regions of `op` run for one execution of `op`.
static double iterationsOf(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    std::optional<APInt> trips = loop.getStaticTripCount();
    return trips ? std::max(1.0, trips->roundToDouble()) : kUnknownTripCount;
  }
  if (isa<scf::WhileOp>(op))
    return kUnknownTripCount;
  return isa<scf::IfOp>(op) ? kBranchFrequency : 1;
}

double LayoutCost::frequency(Operation *op) {
  Block *block = op->getBlock();
  Operation *parent = block ? block->getParentOp() : nullptr;
  if (!parent || isa<func::FuncOp>(parent))
    return 1;
  auto known = frequencies.find(block);
  if (known != frequencies.end())
    return known->second;
  double value = frequency(parent) * iterationsOf(parent);
  if (isRemainderCode(op) && !isRemainderCode(parent))
    value *= kRemainderFrequency;
  value = std::min(value, kMaxFrequency);
  frequencies[block] = value;
  return value;
}

//===--------------------------------------------------------------------------------------------===//
// Conversions
//===--------------------------------------------------------------------------------------------===//

double LayoutCost::conversion(LinearAttr from, LinearAttr to, Type element) {
  if (from == to)
    return 0;
  unsigned bits = std::max(8u, tile::bitWidthOf(element));
  auto [entry, isNew] = conversions.try_emplace({from, to, bits}, 0);
  if (isNew) {
    ConversionPlan plan = planConversion(from.getLayout(), to.getLayout(), bits);
    entry->second = plan.cost;
    if (plan.kind == ConversionKind::SharedMemory)
      entry->second += kSharedRoundTripCost;
  }
  return entry->second;
}

//===--------------------------------------------------------------------------------------------===//
// Operations
//===--------------------------------------------------------------------------------------------===//

static bool isWide(Type type) { return tile::bitWidthOf(getElementTypeOrSelf(type)) > 32; }

double LayoutCost::perElement(Operation *op) {
  if (op->getNumResults() == 0)
    return 0.5;
  bool wide = isWide(op->getResult(0).getType());
  return llvm::TypeSwitch<Operation *, double>(op)
      .Case<arith::ConstantOp, ub::PoisonOp, tile::SplatOp>([](auto) { return 0.0; })
      .Case<tile::BroadcastOp, tile::ExpandDimsOp, tile::ReshapeOp, tile::PermuteOp,
            arith::BitcastOp, tile::PtrToIntOp, tile::IntToPtrOp, tile::PtrCastOp>(
          [](auto) { return kMoveCost; })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp,
            arith::CeilDivSIOp, arith::CeilDivUIOp>([&](auto) { return wide ? 40.0 : 10.0; })
      .Case<arith::DivFOp, tile::PreciseDivFOp, tile::PreciseSqrtOp, arith::RemFOp>(
          [&](auto) { return wide ? 16.0 : 5.0; })
      .Case<arith::MulIOp, tile::UMulHiOp, tile::AddPtrOp>([&](auto) { return wide ? 1.5 : 0.75; })
      // Mostly part of the multiplication or addition that follows.
      .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp>(
          [](auto) { return 0.25; })
      .Case<arith::ExtFOp, arith::TruncFOp>([](auto) { return 0.5; })
      .Case<arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp, tile::FpToFpOp>(
          [](auto) { return 1.0; })
      .Case<tile::LoadOp, tile::ReciprocalOp>([](auto) { return 4.0; })
      .Default([&](Operation *other) {
        if (isa_and_nonnull<math::MathDialect>(other->getDialect()) &&
            !isa<math::AbsFOp, math::AbsIOp, math::FmaOp, math::CopySignOp>(other))
          return wide ? 32.0 : 4.0;
        return wide ? 1.0 : 0.5;
      });
}

/// Elements of one thread that are different from each other.
static double registersOf(const LinearLayout &layout) {
  int32_t replicas = llvm::popcount(uint32_t(layout.getFreeVariableMask(kRegister)));
  return double(elementsPerThread(layout)) / double(int64_t(1) << replicas);
}

/// The combine region, once.
static double combineCost(Operation *op) {
  double cost = 0;
  for (Operation &inner : op->getRegion(0).front().without_terminator())
    cost += LayoutCost::perElement(&inner);
  return cost;
}

static unsigned bitsAlong(const LinearLayout &layout, StringRef inDim, unsigned axis) {
  return llvm::popcount(uint32_t(maskAlongAxis(layout, inDim, axis)));
}

static double reduceCost(tile::ReduceOp reduce, const LinearLayout &layout) {
  unsigned axis = reduce.getAxis();
  double combine = combineCost(reduce), count = reduce.getNumOperands();
  double results = elementsPerThread(sliceLayout(layout, axis));
  double steps = bitsAlong(layout, kLane, axis);
  double cost = registersOf(layout) * combine + steps * results * (count * kShuffleCost + combine);
  unsigned warpBits = bitsAlong(layout, kWarp, axis);
  if (warpBits == 0)
    return cost;
  double warps = double(1u << warpBits);
  return cost + kBarrierCost + results * (count * (1 + warps / 4) + warps * combine);
}

static double plannedScanCost(tile::ScanOp scan, const LinearLayout &layout, const ScanPlan &plan) {
  double combine = combineCost(scan), count = scan.getNumOperands(),
         registers = registersOf(layout);
  double runs = registers / double(1u << plan.vectorBits.size());
  double cost = 2 * registers * combine +
                double(plan.laneBits.size()) * runs * (count * kShuffleCost + combine + 0.5);
  if (plan.warpBits.empty())
    return cost;
  return cost + kBarrierCost + runs * plan.numWarps() * (count + combine);
}

double LayoutCost::access(Operation *op, const LinearLayout &layout) const {
  std::optional<GlobalAccess> global = GlobalAccess::of(op);
  if (!global)
    return 0;
  const AxisInfo &info = axes.get(global->pointer);
  ArrayRef<int64_t> shape = global->type.getShape();
  // Where nothing is known neighbours are far apart, each bit of a coordinate in its own direction.
  constexpr unsigned kFarShift = 26;
  auto addressOf = [&](const LinearLayout::Basis &coords) {
    uint64_t address = 0;
    unsigned firstBit = 0;
    for (auto [dim, coord] : llvm::enumerate(coords)) {
      unsigned bits = llvm::Log2_64(shape[dim]);
      for (unsigned bit = 0; bit < bits; ++bit) {
        if (!((coord >> bit) & 1))
          continue;
        if (int64_t(1) << bit < info.contiguity[dim])
          address ^= uint64_t(global->elementBytes) << bit;
        else if (int64_t(1) << bit >= info.constancy[dim])
          address ^= uint64_t(1) << (kFarShift + firstBit + bit);
      }
      firstBit += bits;
    }
    return address;
  };
  auto addressesOf = [&](StringRef inDim) {
    SmallVector<uint64_t> addresses;
    for (int32_t i = 0; i < layout.getInDimSizeLog2(inDim); ++i)
      addresses.push_back(addressOf(layout.getBasis(inDim, i)));
    return addresses;
  };

  unsigned width = 1;
  for (unsigned axis = 0; axis < shape.size(); ++axis) {
    unsigned inThread = 1u << contiguousRegisterBits(layout, axis).size();
    width = std::max(width, std::min(inThread, global->getMaxWidth(axis, axes)));
  }
  double requests = registersOf(layout) / width;
  SmallVector<uint64_t> lanes = addressesOf(kLane);
  SmallVector<uint64_t> lines(lanes);
  for (uint64_t &address : lines)
    address >>= 2; // a line is four sectors
  unsigned vectorBytes = width * global->elementBytes;
  double cost = requests * (kRequestCost + kLineCost * sectorsPerRequest(lines, 1));
  if (global->kind == GlobalAccess::Kind::Store)
    return cost + kSectorCost * requests * sectorsPerRequest(lanes, int32_t(vectorBytes));
  if (vectorBytes < kLeastCopyBytes && isa<scf::ForOp>(op->getParentOp()) && fillBy(op))
    cost += kLatencyCost;
  // Of warps that load the same, one finds its data in the second-level cache, the others in the
  // first.
  SmallVector<uint64_t> all(lanes);
  all.append(addressesOf(kRegister));
  int replicas = llvm::popcount(uint32_t(layout.getFreeVariableMask(kWarp)));
  return cost + kSectorCost * sectorsPerRequest(all, 1) / double(1 << replicas);
}

double LayoutCost::compute(Operation *op, LinearAttr own) {
  const LinearLayout &layout = own.getLayout();
  switch (layoutRuleOf(op)) {
  case LayoutRule::Access:
    return access(op, layout);
  case LayoutRule::Reduce:
    return reduceCost(cast<tile::ReduceOp>(op), layout);
  case LayoutRule::Scan: {
    auto scan = cast<tile::ScanOp>(op);
    if (std::optional<ScanPlan> plan = planScan(layout, scan.getAxis()))
      return plannedScanCost(scan, layout, *plan);
    // It will be converted there and back.
    auto type = cast<RankedTensorType>(scan.getOperands()[0].getType());
    LinearLayout friendly = scanFriendlyLayout(type.getShape(), scan.getAxis(), numWarpsOf(scan));
    double cost = 0;
    if (std::optional<ScanPlan> plan = planScan(friendly, scan.getAxis()))
      cost = plannedScanCost(scan, friendly, *plan);
    LinearAttr there = LinearAttr::get(op->getContext(), friendly);
    for (Value operand : scan.getOperands()) {
      Type element = getElementTypeOrSelf(operand.getType());
      cost += conversion(own, there, element) + conversion(there, own, element);
    }
    return cost;
  }
  case LayoutRule::Gather:
  case LayoutRule::Histogram:
    return 2 * double(elementsPerThread(layout));
  case LayoutRule::Source:
  case LayoutRule::Same:
  case LayoutRule::Shape:
    return perElement(op) * double(elementsPerThread(layout));
  case LayoutRule::Atomic:
  case LayoutRule::Dot:
  case LayoutRule::Pinned:
    return 0;
  }
  return 0;
}

double LayoutCost::execution(Operation *op, LinearAttr own) {
  auto [entry, isNew] = executions.try_emplace({op, own}, 0);
  if (!isNew)
    return entry->second;
  double cost = compute(op, own);
  return executions[{op, own}] = cost;
}
