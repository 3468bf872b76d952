// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dot by warpgroups makes any multiple of 8 columns with one instruction, or of 16 with two, but
// its rows come in steps of 64. One whose rows are no power of two, and whose columns are, is made
// the transposed dot: C^T = B^T x A^T.

#include "tilec/Transforms/Tile/Passes.h"

#include "DotSum.h"
#include "MaskGain.h"
#include "TransposedDot.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "tilec/Analysis/ProductUnit.h"
#include "tilec/Support/RemarkCategory.h"
#include "llvm/Support/MathExtras.h"

namespace tilec {
#define GEN_PASS_DEF_TILETRANSPOSEDOTSPASS
#include "tilec/Transforms/Tile/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

static RankedTensorType transposed(RankedTensorType type) {
  return cast<RankedTensorType>(type.clone({type.getDimSize(1), type.getDimSize(0)}));
}

/// What makes floats of the bytes that are loaded, for the dot alone; or null.
static Operation *wideningOf(Value value) {
  Operation *op = value.getDefiningOp();
  return isa_and_nonnull<arith::SIToFPOp, arith::UIToFPOp>(op) && value.hasOneUse() ? op : nullptr;
}

/// The transpose of `value`: what it is the transpose of, if it is.
static Value transpose(OpBuilder &builder, Location loc, Value value) {
  if (auto permute = value.getDefiningOp<PermuteOp>())
    return permute.getSource();
  if (Operation *widening = wideningOf(value)) {
    IRMapping mapping;
    mapping.map(widening->getOperand(0), transpose(builder, loc, widening->getOperand(0)));
    Operation *turned = builder.clone(*widening, mapping);
    turned->getResult(0).setType(transposed(cast<RankedTensorType>(value.getType())));
    return turned->getResult(0);
  }
  return PermuteOp::create(builder, loc, transposed(cast<RankedTensorType>(value.getType())), value,
                           ArrayRef<int32_t>{1, 0});
}

tilec::tile::LoadedOperand::LoadedOperand(Value operand) {
  if (Operation *widening = wideningOf(operand)) {
    operand = widening->getOperand(0);
    isWidened = true;
  }
  auto permute = operand.getDefiningOp<PermuteOp>();
  isTransposed = bool(permute);
  Value loaded = permute && operand.hasOneUse() ? permute.getSource() : operand;
  Operation *op = loaded.getDefiningOp();
  if (isa_and_nonnull<LoadOp, DescriptorLoadOp>(op) && loaded.hasOneUse())
    load = op;
}

int64_t tilec::tile::transposedColumns(DotOp dot) {
  return int64_t(llvm::PowerOf2Ceil(uint64_t(dot.getType().getDimSize(0))));
}

bool tilec::tile::isBetterTransposed(DotOp dot) {
  RankedTensorType type = dot.getType(), lhs = dot.getLhs().getType();
  if (type.getRank() != 2)
    return false;
  // What threads widen is the instruction's rows.
  if (LoadedOperand(dot.getLhs()).isWidened ||
      (LoadedOperand(dot.getRhs()).isWidened &&
       operandWidenedInRegisters(dot.getLhs(), dot.getRhs()) != 1u))
    return false;
  int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
  auto func = dot->getParentOfType<func::FuncOp>();
  int64_t warps = threadsOf(func) / Processor::kWarpSize;
  if (llvm::isPowerOf2_64(rows) || !hasWgmmaOfColumns(rows, lhs.getElementType()) ||
      !llvm::isPowerOf2_64(columns) || columns < kWgmmaRowsOfWarp * warps || !DotSum::find(dot))
    return false;
  int64_t depth = lhs.getDimSize(1), padded = transposedColumns(dot);
  ProductForm form{lhs.clone({columns, depth}), lhs.clone({depth, padded}),
                   type.clone({columns, padded}), dot.getPrecision()};
  return !whyNotWgmma(form, processorOf(func), warps);
}

/// Whether descriptors load both operands, and as the transposed dot can read them.
static bool hasLoadedOperands(DotOp dot) {
  LoadedOperand lhs(dot.getLhs()), rhs(dot.getRhs());
  if (!isa_and_nonnull<DescriptorLoadOp>(lhs.load) || !isa_and_nonnull<DescriptorLoadOp>(rhs.load))
    return false;
  // Bytes have to lie along K, those that threads widen, too.
  if (rhs.isWidened)
    return rhs.isTransposed;
  return bitWidthOf(dot.getLhs().getType().getElementType()) == 16 ||
         (!lhs.isTransposed && rhs.isTransposed);
}

static void transposeDot(DotOp dot, DotSum sum) {
  OpBuilder builder(dot);
  Location loc = dot.getLoc();
  Value operands[] = {dot.getRhs(), dot.getLhs()};
  dot.getLhsMutable().assign(transpose(builder, loc, operands[0]));
  dot.getRhsMutable().assign(transpose(builder, loc, operands[1]));
  for (Value operand : operands)
    while (operand.use_empty() &&
           isa<PermuteOp, arith::SIToFPOp, arith::UIToFPOp>(operand.getDefiningOp())) {
      Operation *unused = operand.getDefiningOp();
      operand = unused->getOperand(0);
      unused->erase();
    }
  RankedTensorType type = transposed(dot.getType());
  sum.reshape(type, [&](OpBuilder &after, Value value) { return transpose(after, loc, value); });
  remark::passed(loc, remark::RemarkOpts::name("Transposed").category(remarks::kDot))
      << remark::add("computed as the transposed dot: {0} rows are columns of its instructions",
                     type.getDimSize(1));
}

namespace {
struct TransposeDots final : tilec::impl::TileTransposeDotsPassBase<TransposeDots> {
  using Base::Base;

  void runOnOperation() override {
    getOperation().walk([](DotOp dot) {
      if (isBetterTransposed(dot) && hasLoadedOperands(dot))
        transposeDot(dot, *DotSum::find(dot));
    });
  }
};
} // namespace
