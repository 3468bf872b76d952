// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Additions of one number at many places of a small range are counted by the program first:
//
//   atomic_rmw add p + x, c      ->   scf.if (largest x, unsigned) < BINS {
//                                       counts = histogram x
//                                       atomic_rmw add p + range(BINS), counts * c if counts != 0
//                                     } else { atomic_rmw add p + x, c }
//
// Without the test when the range of x follows from how it is computed.

#include "tilec/Transforms/Tile/Passes.h"

#include "dialects/Tile/UniformValue.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

namespace tilec {
#define GEN_PASS_DEF_TILEPRIVATISEATOMICSPASS
#include "tilec/Transforms/Tile/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;

/// Fewer elements are not worth the counters.
static constexpr int64_t kMinElements = 512;
static constexpr int64_t kMaxBins = 2048;

/// A number below which the unsigned elements of `value` are, as far as one can see at once.
static std::optional<uint64_t> boundOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (isa<tile::ShapeOpInterface>(op))
    return boundOf(op->getOperand(0));
  if (isa<arith::ExtUIOp>(op)) {
    unsigned width = getElementTypeOrSelf(op->getOperand(0).getType()).getIntOrFloatBitWidth();
    if (std::optional<uint64_t> inner = boundOf(op->getOperand(0)))
      return inner;
    return width < 32 ? std::optional<uint64_t>(uint64_t(1) << width) : std::nullopt;
  }
  APInt constant;
  if (op->getNumOperands() != 2 || !matchPattern(op->getOperand(1), m_ConstantInt(&constant)) ||
      constant.getBitWidth() > 64 || constant.isNegative())
    return std::nullopt;
  uint64_t number = constant.getZExtValue();
  if (isa<arith::AndIOp>(op))
    return number + 1;
  if (isa<arith::RemUIOp>(op))
    return number;
  if (auto shift = dyn_cast<arith::ShRUIOp>(op)) {
    unsigned width = getElementTypeOrSelf(shift.getType()).getIntOrFloatBitWidth();
    return number < width && width - number < 32
               ? std::optional<uint64_t>(uint64_t(1) << (width - number))
               : std::nullopt;
  }
  return std::nullopt;
}

/// Whether the elements come from memory, so that several may be equal.
static bool isLoaded(Value value) {
  SmallVector<Value> pending{value};
  SmallPtrSet<Operation *, 16> seen;
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    if (isa<tile::LoadOp>(op))
      return isa<RankedTensorType>(op->getResult(0).getType());
    if (isMemoryEffectFree(op) && op->getNumRegions() == 0)
      pending.append(op->operand_begin(), op->operand_end());
  }
  return false;
}

namespace {
/// One atomic, and what it is rewritten with.
class Privatiser {
public:
  explicit Privatiser(tile::AtomicRMWOp op) : atomic(op), loc(op.getLoc()), builder(op) {}

  void run() {
    if (!choose())
      return;
    index = toI32();
    if (!isProvable) {
      auto branches = scf::IfOp::create(builder, loc, fits(), /*withElseRegion=*/true);
      OpBuilder other = branches.getElseBodyBuilder();
      other.clone(*atomic);
      builder.setInsertionPointToStart(branches.thenBlock());
    }
    count();
    atomic.erase();
  }

private:
  /// Whether it pays; sets the number of bins.
  bool choose() {
    auto type = dyn_cast<RankedTensorType>(atomic.getPointer().getType());
    if (atomic.getKind() != tile::AtomicKind::add || !atomic.getResult().use_empty() || !type ||
        type.getRank() != 1 || type.getNumElements() < kMinElements ||
        !getElementTypeOrSelf(atomic.getValue().getType()).isSignlessInteger())
      return false;
    auto address = atomic.getPointer().getDefiningOp<tile::AddPtrOp>();
    auto base = address ? address.getPointer().getDefiningOp<tile::SplatOp>() : tile::SplatOp();
    if (!base || !isLoaded(address.getOffset()))
      return false;
    pointer = base.getSource();
    offset = address.getOffset();
    size = type.getNumElements();
    if (!(addend = tile::uniformValueOf(builder, atomic.getValue())))
      return false;
    bins = std::min(size / 4, kMaxBins);
    if (std::optional<uint64_t> bound = boundOf(offset); bound && *bound > 0)
      if (*bound <= uint64_t(std::min(size / 2, kMaxBins))) {
        isProvable = true;
        bins = int64_t(llvm::PowerOf2Ceil(*bound));
      }
    return true;
  }

  RankedTensorType tensorOf(int64_t count, Type element) {
    return RankedTensorType::get({count}, element);
  }

  Value constantLike(Type type, int64_t number) {
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(cast<ShapedType>(type),
                               builder.getIntegerAttr(getElementTypeOrSelf(type), number)));
  }

  /// The offsets in 32 bits; what needs more becomes -1.
  Value toI32() {
    auto i32 = tensorOf(size, builder.getI32Type());
    unsigned width = getElementTypeOrSelf(offset.getType()).getIntOrFloatBitWidth();
    if (width == 32)
      return offset;
    if (width < 32)
      return arith::ExtSIOp::create(builder, loc, i32, offset);
    Value low = arith::TruncIOp::create(builder, loc, i32, offset);
    Value isSmall = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, offset,
                                          constantLike(offset.getType(), bins));
    return arith::SelectOp::create(builder, loc, isSmall, low, constantLike(i32, -1));
  }

  /// Whether all offsets that count are bins.
  Value fits() {
    Value counted = index;
    if (atomic.getMask())
      counted = arith::SelectOp::create(builder, loc, atomic.getMask(), index,
                                        constantLike(index.getType(), 0));
    auto largest = tile::ReduceOp::create(builder, loc, ValueRange(counted), 0);
    {
      OpBuilder::InsertionGuard guard(builder);
      Type i32 = builder.getI32Type();
      Block *block = builder.createBlock(&largest.getCombine(), {}, {i32, i32}, {loc, loc});
      Value more =
          arith::MaxUIOp::create(builder, loc, block->getArgument(0), block->getArgument(1));
      tile::YieldOp::create(builder, loc, ValueRange(more));
    }
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, largest->getResult(0),
                                 arith::ConstantIntOp::create(builder, loc, bins, 32));
  }

  void count() {
    auto i32 = tensorOf(bins, builder.getI32Type());
    Value counts = tile::HistogramOp::create(builder, loc, i32, index, atomic.getMask());
    Value occurs =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, counts, constantLike(i32, 0));
    auto type = tensorOf(bins, addend.getType());
    Value sum = counts;
    if (type.getElementTypeBitWidth() > 32)
      sum = arith::ExtUIOp::create(builder, loc, type, sum);
    if (!matchPattern(addend, m_One()))
      sum = arith::MulIOp::create(builder, loc, sum,
                                  tile::SplatOp::create(builder, loc, type, addend));
    Value range = tile::MakeRangeOp::create(builder, loc, i32, 0, uint32_t(bins));
    Value start = tile::SplatOp::create(builder, loc, tensorOf(bins, pointer.getType()), pointer);
    Value places = tile::AddPtrOp::create(builder, loc, start.getType(), start, range);
    tile::AtomicRMWOp::create(builder, loc, tile::AtomicKind::add, places, sum, occurs,
                              atomic.getSem(), atomic.getScope());
  }

  tile::AtomicRMWOp atomic;
  Location loc;
  OpBuilder builder;
  /// The place of bin 0, and what is added for each element.
  Value pointer, addend;
  Value offset, index;
  int64_t size = 0, bins = 0;
  bool isProvable = false;
};

struct PrivatiseAtomics final : tilec::impl::TilePrivatiseAtomicsPassBase<PrivatiseAtomics> {
  using Base::Base;
  void runOnOperation() override {
    SmallVector<tile::AtomicRMWOp> atomics;
    getOperation().walk([&](tile::AtomicRMWOp atomic) { atomics.push_back(atomic); });
    for (tile::AtomicRMWOp atomic : atomics)
      Privatiser(atomic).run();
  }
};
} // namespace
