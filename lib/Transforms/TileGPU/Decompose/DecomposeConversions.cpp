// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns the conversions that cannot or should not stay inside warps into a store to and a load from
// a swizzled shared-memory buffer. The plan comes from the layout algebra (see
// tilec/Layout/Conversion.h). What is known of indices and pointers, which is how wide an access
// may be, goes with them as hints. A tensor that shared memory has no room for, beside what is live
// there at the time, is converted in two rounds, of the lower and of the upper halves of its
// elements.

#include "tilec/Transforms/TileGPU/Passes.h"

#include "mlir/IR/Builders.h"
#include "tilec/Analysis/AxisInfo.h"
#include "tilec/Analysis/SharedAllocation.h"
#include "tilec/Layout/Conversion.h"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUDECOMPOSECONVERSIONSPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// Says of `load`, as hints, what is known of the value that it brings back.
static void keepFacts(LocalLoadOp load, const AxisInfo &info) {
  constexpr int64_t kMaxHint = int64_t(1) << 30;
  auto hint = [&](StringRef name, const AxisInfo::DimVector &values) {
    SmallVector<int32_t> list;
    for (int64_t value : values)
      list.push_back(int32_t(std::min(value, kMaxHint)));
    if (llvm::any_of(list, [](int32_t value) { return value > 1; }))
      load->setDiscardableAttr(name, DenseI32ArrayAttr::get(load.getContext(), list));
  };
  hint(tile::TileDialect::kContiguityAttr, info.contiguity);
  hint(tile::TileDialect::kConstancyAttr, info.constancy);
  hint(tile::TileDialect::kDivisibilityAttr, info.divisibility);
}

namespace {
/// A conversion through shared memory.
struct RoundTrip {
  LocalAllocOp buffer;
  LocalStoreOp store;
  LocalLoadOp load;

  int64_t bytes() { return buffer.getType().getSizeInBytes(); }
  /// Whether its elements have halves.
  bool canSplit() {
    Type element = buffer.getType().getElementType();
    return element.isIntOrFloat() && element.getIntOrFloatBitWidth() >= 16;
  }
};
} // namespace

static RoundTrip lowerThroughShared(ConvertLayoutOp convert, const ConversionPlan &plan,
                                    const AxisInfoAnalysis *axes) {
  auto source = cast<RankedTensorType>(convert.getSource().getType());
  OpBuilder builder(convert);
  Location loc = convert.getLoc();
  // The optimal layout's dimensions: an offset, and a block index that one CTA does not have.
  LinearLayout memory = plan.shared.memory.sublayout(
      {kOffset}, SmallVector<StringRef>(
                     llvm::map_range(plan.shared.memory.getOutDims(),
                                     [](const auto &out) -> StringRef { return out.first; })));
  auto buffer = LocalAllocOp::create(
      builder, loc,
      MemDescType::get(convert.getContext(), source.getShape(), source.getElementType(),
                       LinearAttr::get(convert.getContext(), memory)),
      IntegerAttr());
  auto store = LocalStoreOp::create(builder, loc, convert.getSource(), buffer);
  auto load = LocalLoadOp::create(builder, loc, convert.getType(), buffer);
  if (axes && !isa<FloatType>(source.getElementType()))
    keepFacts(load, axes->get(convert.getSource()));
  convert.replaceAllUsesWith(load.getResult());
  convert.erase();
  return {buffer, store, load};
}

/// Converts the two halves of the elements one after the other; returns the conversions.
static std::pair<ConvertLayoutOp, ConvertLayoutOp> splitConversion(ConvertLayoutOp convert) {
  auto source = cast<RankedTensorType>(convert.getSource().getType());
  auto result = cast<RankedTensorType>(convert.getType());
  unsigned bits = source.getElementTypeBitWidth();
  OpBuilder builder(convert);
  Location loc = convert.getLoc();
  Type whole = builder.getIntegerType(bits), half = builder.getIntegerType(bits / 2);
  auto bitsTo = [&](Value value, RankedTensorType type) -> Value {
    return value.getType() == type ? value : arith::BitcastOp::create(builder, loc, type, value);
  };
  auto splat = [&](RankedTensorType type) -> Value {
    auto attr = DenseElementsAttr::get(type, builder.getIntegerAttr(whole, bits / 2));
    return arith::ConstantOp::create(builder, loc, attr);
  };
  RankedTensorType sourceBits = source.clone(whole), resultBits = result.clone(whole);
  Value value = bitsTo(convert.getSource(), sourceBits);
  Value low = arith::TruncIOp::create(builder, loc, source.clone(half), value);
  auto convertLow = ConvertLayoutOp::create(builder, loc, result.clone(half), low);
  Value shifted = arith::ShRUIOp::create(builder, loc, value, splat(sourceBits));
  Value high = arith::TruncIOp::create(builder, loc, source.clone(half), shifted);
  auto convertHigh = ConvertLayoutOp::create(builder, loc, result.clone(half), high);
  Value lowBits = arith::ExtUIOp::create(builder, loc, resultBits, convertLow.getResult());
  Value highBits = arith::ExtUIOp::create(builder, loc, resultBits, convertHigh.getResult());
  highBits = arith::ShLIOp::create(builder, loc, highBits, splat(resultBits));
  Value joined = arith::OrIOp::create(builder, loc, lowBits, highBits);
  convert.replaceAllUsesWith(bitsTo(joined, result));
  convert.erase();
  return {convertLow, convertHigh};
}

namespace {
struct DecomposeConversions final
    : tilec::impl::TileGPUDecomposeConversionsPassBase<DecomposeConversions> {
  using Base::Base;
  void runOnOperation() override {
    SmallVector<ConvertLayoutOp> conversions;
    getOperation().walk([&](ConvertLayoutOp op) { conversions.push_back(op); });
    if (conversions.empty())
      return markAllAnalysesPreserved();
    const auto &axes = getAnalysis<AxisInfoAnalysis>();
    roundTrips.clear();
    for (ConvertLayoutOp convert : conversions)
      if (failed(decompose(convert, &axes)))
        return signalPassFailure();
    if (failed(makeRoom()))
      signalPassFailure();
  }

private:
  LogicalResult decompose(ConvertLayoutOp convert, const AxisInfoAnalysis *axes) {
    auto source = cast<RankedTensorType>(convert.getSource().getType());
    auto result = cast<RankedTensorType>(convert.getType());
    unsigned bits = std::max(8u, tile::bitWidthOf(source.getElementType()));
    ConversionOptions options;
    options.storesMatrices = processorOf(convert).has(Feature::MatrixStore);
    ConversionPlan plan = planConversion(layoutOf(source), layoutOf(result), bits, options);
    if (plan.kind == ConversionKind::CrossBlock)
      return convert.emitError(
          "a layout conversion between the CTAs of a cluster is not supported");
    if (plan.kind == ConversionKind::SharedMemory)
      roundTrips.push_back(lowerThroughShared(convert, plan, axes));
    return success();
  }

  /// Splits the largest conversions until all buffers fit, or none is left that has halves.
  LogicalResult makeRoom() {
    int64_t limit = processorOf(getOperation()).maxSharedBytesPerCta();
    while (SharedAllocation(getOperation()).getTotalBytes() > limit) {
      RoundTrip *largest = nullptr;
      for (RoundTrip &trip : roundTrips)
        if (trip.canSplit() && (!largest || trip.bytes() > largest->bytes()))
          largest = &trip;
      if (!largest)
        return success();
      RoundTrip trip = *largest;
      roundTrips.erase(largest);
      OpBuilder builder(trip.load);
      auto convert = ConvertLayoutOp::create(builder, trip.load.getLoc(), trip.load.getType(),
                                             trip.store.getValue());
      trip.load.replaceAllUsesWith(convert.getResult());
      trip.load.erase();
      trip.store.erase();
      trip.buffer.erase();
      // Of halves of elements nothing is known.
      auto [low, high] = splitConversion(convert);
      if (failed(decompose(low, nullptr)) || failed(decompose(high, nullptr)))
        return failure();
    }
    return success();
  }

  SmallVector<RoundTrip> roundTrips;
};
} // namespace
