// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Brings scans into a form that stays inside warps:
//
//   %r = tile.scan(%x) axis = a                        (W warps along a, C chunks)
//   =>
//   %s, %t = tilegpu.partial_scan(%x) axis = a         %t: a has size C * W, one element per run
//   %g = tilegpu.convert_layout %t                     all of them in the registers of each thread
//   %r = tilegpu.finish_scan(%s, %g) axis = a
//
// A layout in which the axis does not run through registers, lanes, warps and registers in this
// order, or in which the totals would take many registers, is left for one that has as much of the
// axis as possible in each thread.

#include "tilec/Transforms/TileGPU/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "tilec/Layout/ScanLayout.h"
#include "tilec/Support/RemarkCategory.h"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUDECOMPOSESCANSPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// Totals that a thread may have to hold whatever it scans.
static constexpr int32_t kFewTotals = 32;

static RankedTensorType tensorOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// The plan for scanning `layout` as it is; nullopt when another layout is better.
static std::optional<ScanPlan> acceptedPlan(const LinearLayout &layout, unsigned axis) {
  std::optional<ScanPlan> plan = planScan(layout, axis);
  if (!plan || plan->warpBits.empty())
    return plan;
  int32_t totals = elementsPerThread(scanTotalsLayouts(layout, axis, *plan).gathered);
  if (totals > kFewTotals && totals > 2 * elementsPerThread(layout))
    return std::nullopt;
  return plan;
}

/// Puts layout conversions around `scan`.
static void convertToFriendlyLayout(tile::ScanOp scan) {
  RankedTensorType before = tensorOf(scan.getOperands()[0]);
  LinearLayout layout = scanFriendlyLayout(before.getShape(), scan.getAxis(), numWarpsOf(scan));
  OpBuilder builder(scan);
  Location loc = scan.getLoc();
  SmallVector<Value> operands;
  for (Value operand : scan.getOperands())
    operands.push_back(
        ConvertLayoutOp::create(builder, loc, withLayout(tensorOf(operand), layout), operand));
  scan.getOperandsMutable().assign(operands);
  builder.setInsertionPointAfter(scan);
  for (Value result : scan.getResults()) {
    RankedTensorType type = tensorOf(result);
    result.setType(withLayout(type, layout));
    auto convert = ConvertLayoutOp::create(builder, loc, type, result);
    result.replaceAllUsesExcept(convert, convert);
  }
  remark::analysis(loc, remark::RemarkOpts::name("ScanConversion").category(remarks::kScan))
      << "scan converts the layout of its operand";
}

static void splitAcrossWarps(tile::ScanOp scan, const ScanPlan &plan) {
  unsigned axis = scan.getAxis();
  ScanTotalsLayouts layouts =
      scanTotalsLayouts(layoutOf(tensorOf(scan.getOperands()[0])), axis, plan);
  std::vector<int64_t> shape = layoutShape(layouts.perWarp);
  OpBuilder builder(scan);
  Location loc = scan.getLoc();
  auto totalsType = [&](Value operand, const LinearLayout &layout) {
    return withLayout(RankedTensorType::get(shape, tensorOf(operand).getElementType()), layout);
  };

  SmallVector<Type> types(scan.getResultTypes());
  for (Value operand : scan.getOperands())
    types.push_back(totalsType(operand, layouts.perWarp));
  auto partial =
      PartialScanOp::create(builder, loc, types, scan.getOperands(), axis, scan.getReverse());
  IRMapping mapping;
  scan.getCombine().cloneInto(&partial.getCombine(), mapping);

  unsigned count = scan.getNumResults();
  SmallVector<Value> operands(partial.getResults().take_front(count));
  for (Value totals : partial.getResults().drop_front(count))
    operands.push_back(
        ConvertLayoutOp::create(builder, loc, totalsType(totals, layouts.gathered), totals));
  auto finish =
      FinishScanOp::create(builder, loc, scan.getResultTypes(), operands, axis, scan.getReverse());
  finish.getCombine().takeBody(scan.getCombine());
  scan.replaceAllUsesWith(finish.getResults());
  scan.erase();
}

namespace {
struct DecomposeScans final : tilec::impl::TileGPUDecomposeScansPassBase<DecomposeScans> {
  using Base::Base;
  void runOnOperation() override {
    SmallVector<tile::ScanOp> scans;
    getOperation().walk([&](tile::ScanOp scan) {
      if (hasLayout(scan.getOperands()[0].getType()))
        scans.push_back(scan);
    });
    for (tile::ScanOp scan : scans) {
      auto layout = [&]() -> const LinearLayout & {
        return layoutOf(tensorOf(scan.getOperands()[0]));
      };
      std::optional<ScanPlan> plan = acceptedPlan(layout(), scan.getAxis());
      if (!plan) {
        convertToFriendlyLayout(scan);
        plan = planScan(layout(), scan.getAxis());
      }
      if (!plan->warpBits.empty())
        splitAcrossWarps(scan, *plan);
    }
  }
};
} // namespace
