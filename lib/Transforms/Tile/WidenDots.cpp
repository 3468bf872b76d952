// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Widens a dot by warpgroups to a power of two of columns, of which one instruction, or two, make
// those that there were. Its right operand's block and its accumulator are wider, nothing else is.

#include "tilec/Transforms/Tile/Passes.h"

#include "DescribedBlock.h"
#include "DotSum.h"
#include "MaskGain.h"
#include "WideDot.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"
#include "tilec/Analysis/ProductUnit.h"
#include "tilec/Layout/TensorMapLayout.h"
#include "tilec/Support/RemarkCategory.h"
#include "llvm/Support/MathExtras.h"

namespace tilec {
#define GEN_PASS_DEF_TILEWIDENDOTSPASS
#include "tilec/Transforms/Tile/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

static RankedTensorType withColumns(RankedTensorType type, int64_t columns) {
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = columns;
  return cast<RankedTensorType>(type.clone(shape));
}

static int64_t columnsOf(DotOp dot) { return dot.getType().getShape().back(); }

int64_t tilec::tile::widenedColumns(DotOp dot) {
  return int64_t(llvm::PowerOf2Ceil(uint64_t(columnsOf(dot))));
}

/// Whether the right operand lies in memory with K along the rows.
static bool isDepthMajor(DotOp dot) {
  auto permute = dot.getRhs().getDefiningOp<PermuteOp>();
  return permute && permute.getSource().getDefiningOp<DescriptorLoadOp>();
}

/// Whether that holds of `rows` of the dot, a power of two. Warpgroups beside each other have every
/// other 8 columns, and of more than 256 a second instruction makes the rest: both begin anywhere,
/// where it can only read them with K along the rows.
static bool canWidenRows(DotOp dot, int64_t rows) {
  RankedTensorType type = dot.getType(), lhs = dot.getLhs().getType();
  auto func = dot->getParentOfType<func::FuncOp>();
  int64_t warps = threadsOf(func) / Processor::kWarpSize;
  int64_t columns = columnsOf(dot), padded = widenedColumns(dot);
  int64_t groups = std::max<int64_t>(1, kWgmmaRowsOfWarp * warps / rows);
  if (columns % groups || !hasWgmmaOfColumns(columns / groups, lhs.getElementType()) ||
      ((groups > 1 || wgmmasOfColumns(columns) > 1) && !isDepthMajor(dot)))
    return false;
  ProductForm form{cast<RankedTensorType>(lhs.clone({rows, lhs.getShape()[1]})),
                   withColumns(dot.getRhs().getType(), padded),
                   cast<RankedTensorType>(type.clone({rows, padded})), dot.getPrecision()};
  return !whyNotWgmma(form, processorOf(func), warps);
}

bool tilec::tile::canBeWidened(DotOp dot) {
  if (dot.getType().getRank() != 2 || llvm::isPowerOf2_64(columnsOf(dot)) || !DotSum::find(dot))
    return false;
  // Rows that are no power of two come in pieces (`tile-split-tensors`).
  for (int64_t rest = dot.getType().getShape()[0]; rest > 0;) {
    int64_t rows = int64_t(llvm::bit_floor(uint64_t(rest)));
    if (!canWidenRows(dot, rows))
      return false;
    rest -= rows;
  }
  return true;
}

namespace {
/// A dot that can be widened, with what is widened beside it.
struct WideDot {
  explicit WideDot(DotOp given) : dot(given) {}

  DotOp dot;
  /// What loads the right operand, and what transposes it on the way, or null.
  DescriptorLoadOp load;
  PermuteOp permute;
  std::optional<DotSum> sum;

  int64_t padded() { return widenedColumns(dot); }
  bool find();
  void widen();

private:
  bool findOperand();
  bool findBoxes();
  DescType wideType(int64_t rows);
  void widenOperand();

  /// The most rows of a copy's box, where that is not as usual.
  int64_t boxRows = 0;
};
} // namespace

bool WideDot::findOperand() {
  Value operand = dot.getRhs();
  permute = operand.getDefiningOp<PermuteOp>();
  if (permute && operand.hasOneUse())
    operand = permute.getSource();
  load = operand.getDefiningOp<DescriptorLoadOp>();
  // Where the instruction does not take B as it lies in memory, it computes the transposed dot.
  if (!permute && bitWidthOf(dot.getRhs().getType().getElementType()) != 16)
    return false;
  return load && operand.hasOneUse() && load.getType().getRank() == 2 &&
         load.getDesc().getType().getBlockShape() == load.getType().getShape() &&
         load.getDesc().getDefiningOp<MakeTensorDescriptorOp>();
}

/// Boxes that hold nothing but the columns of the dot, where what lies beside them may be no
/// memory.
bool WideDot::findBoxes() {
  auto make = load.getDesc().getDefiningOp<MakeTensorDescriptorOp>();
  unsigned dim = permute ? 0 : 1;
  if (getConstantIntValue(make.getShape()[dim]) != kUnboundedSize)
    return true;
  // Boxes as usual, or one for what each instruction makes.
  for (int64_t rows : {int64_t(0), columnsOf(dot) / wgmmasOfColumns(columnsOf(dot))}) {
    DescType type = wideType(rows);
    auto form = tensorMapTile(type.getBlockShape(), int32_t(bitWidthOf(type.getElementType())),
                              type.getUsed(), rows);
    boxRows = rows;
    if (form && columnsOf(dot) % form->box[dim] == 0)
      return true;
  }
  return false;
}

bool WideDot::find() {
  if (!canBeWidened(dot) || !findOperand() || !findBoxes())
    return false;
  sum = DotSum::find(dot);
  return true;
}

DescType WideDot::wideType(int64_t rows) {
  DescType type = load.getDesc().getType();
  SmallVector<int64_t> block(type.getBlockShape());
  block[permute ? 0 : 1] = padded();
  return DescType::get(type.getContext(), block, type.getElementType(), type.getPadsWithNan(),
                       type.getBlockShape(), rows);
}

void WideDot::widenOperand() {
  auto make = load.getDesc().getDefiningOp<MakeTensorDescriptorOp>();
  DescType wide = wideType(boxRows);
  OpBuilder builder(make);
  auto wider = MakeTensorDescriptorOp::create(builder, make.getLoc(), wide, make.getBase(),
                                              make.getShape(), make.getStrides());
  wider->setDiscardableAttrs(make->getDiscardableAttrDictionary());
  load.getDescMutable().assign(wider);
  load.getResult().setType(load.getType().clone(wide.getBlockShape()));
  if (permute)
    permute.getResult().setType(withColumns(permute.getType(), padded()));
  if (make->use_empty())
    make.erase();
}

void WideDot::widen() {
  int64_t wanted = columnsOf(dot);
  widenOperand();
  RankedTensorType narrow = dot.getType();
  sum->reshape(withColumns(narrow, padded()), [&](OpBuilder &builder, Value wide) -> Value {
    return NarrowOp::create(builder, dot.getLoc(), narrow, wide);
  });
  dot->setAttr(TileDialect::kColumnsAttr,
               IntegerAttr::get(IntegerType::get(dot.getContext(), 32), wanted));
  remark::passed(dot.getLoc(), remark::RemarkOpts::name("Widened").category(remarks::kDot))
      << remark::add("{0} columns are multiplied, of a tile of {1}", wanted, columnsOf(dot));
}

namespace {
struct WidenDots final : tilec::impl::TileWidenDotsPassBase<WidenDots> {
  using Base::Base;

  void runOnOperation() override {
    getOperation().walk([](DotOp dot) {
      if (WideDot wide(dot); wide.find())
        wide.widen();
    });
  }
};
} // namespace
