// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the instruction of a dot. On sm_90a a dot whose tile fills warpgroups becomes a wgmma on
// buffers in shared memory: the operands are stored there (the pipeliner turns the stores
// of loads into asynchronous copies), the accumulator gets the instruction's layout. A left operand
// that is computed from another product stays in registers. One that is widened is stored as it is
// loaded; the threads widen what they read to the instruction's registers.

#include "AccelerateDots.h"

#include "../Layout/Coalesce.h"
#include "tilec/Transforms/TileGPU/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"
#include "tilec/Analysis/ProductUnit.h"
#include "tilec/Layout/MmaLayout.h"
#include "tilec/Layout/TensorMapLayout.h"
#include "tilec/Layout/WgmmaLayout.h"
#include "tilec/Support/RemarkCategory.h"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUACCELERATEDOTSPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

static constexpr int64_t kInstrRows = 64;
static constexpr int32_t kMaxInstrColumns = 256, kWarpsOfGroup = 4;

static Type elementOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

unsigned tilec::contiguousDimOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto permute = dyn_cast_or_null<tile::PermuteOp>(op)) {
    unsigned inner = contiguousDimOf(permute.getSource());
    for (auto [dim, source] : llvm::enumerate(permute.getOrder()))
      if (unsigned(source) == inner)
        return dim;
  }
  if (isa_and_nonnull<tile::DescriptorLoadOp>(op))
    return cast<RankedTensorType>(value.getType()).getRank() - 1;
  bool passesOn = op && (isa<ConvertLayoutOp>(op) || op->hasTrait<OpTrait::Elementwise>());
  if (passesOn && op->getNumOperands() > 0 && isa<RankedTensorType>(op->getOperand(0).getType()))
    return contiguousDimOf(op->getOperand(0));
  // Vectors, then lanes run along that dimension: there a lane's step is a thread's elements, or
  // one element where a thread has whole rows or single elements.
  auto type = cast<RankedTensorType>(value.getType());
  const LinearLayout &layout = layoutOf(type);
  unsigned best = type.getRank() - 1;
  for (unsigned dim = 0; dim < type.getRank(); ++dim) {
    size_t vector = contiguousRegisterBits(layout, dim).size();
    if (vector > 0 && layout.getBasis(kRegister, 0, dimName(dim)) == 1 &&
        (layout.getBasis(kLane, 0, dimName(dim)) == 1 << vector ||
         type.getDimSize(dim) == 1 << vector))
      return dim;
    if (layout.getBasis(kLane, 0, dimName(dim)) == 1)
      best = dim;
  }
  return best;
}

/// Whether the value is computed, element by element, from the result of a product.
static bool comesFromProduct(Value value, DenseSet<Value> &seen) {
  constexpr unsigned kMaxValues = 64;
  if (seen.size() == kMaxValues || !seen.insert(value).second)
    return false;
  // What a loop carries comes from where its next value does.
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument != loop.getInductionVar() &&
           comesFromProduct(loop.getYieldedValues()[argument.getArgNumber() - 1], seen);
  }
  Operation *op = value.getDefiningOp();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return comesFromProduct(loop.getYieldedValues()[cast<OpResult>(value).getResultNumber()], seen);
  if (isa<DotOp, MmaOp, WgmmaOp, WgmmaWaitOp>(op))
    return true;
  if (!isa<ConvertLayoutOp>(op) && !op->hasTrait<OpTrait::Elementwise>())
    return false;
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    return isa<RankedTensorType>(operand.getType()) && comesFromProduct(operand, seen);
  });
}

bool tilec::comesFromProduct(Value value) {
  DenseSet<Value> seen;
  return ::comesFromProduct(value, seen);
}

Operation *tilec::outsideOfLoops(Operation *op, Value value) {
  for (Operation *parent = op->getParentOp(); isa<LoopLikeOpInterface>(parent);
       parent = op->getParentOp()) {
    if (!cast<LoopLikeOpInterface>(parent).isDefinedOutsideOfLoop(value))
      break;
    op = parent;
  }
  return op;
}

/// Stores a tensor to a buffer.
static Value storeOperand(OpBuilder &builder, Location loc, Value tensor,
                          const LinearLayout &memory) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(outsideOfLoops(&*builder.getInsertionPoint(), tensor));
  auto type = cast<RankedTensorType>(tensor.getType());
  auto bufferType = MemDescType::get(builder.getContext(), type.getShape(), type.getElementType(),
                                     LinearAttr::get(builder.getContext(), memory));
  auto buffer = LocalAllocOp::create(builder, loc, bufferType, IntegerAttr());
  LocalStoreOp::create(builder, loc, tensor, buffer);
  return buffer;
}

static int32_t storageBits(Value tensor) { return int32_t(tile::bitWidthOf(elementOf(tensor))); }

/// The buffer of an operand that the instruction reads.
static LinearLayout sharedOperandLayout(Value tensor, unsigned operand) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int32_t bits = storageBits(tensor);
  unsigned depthDim = operand == 0 ? 1 : 0;
  unsigned contiguous = bits == 16 ? contiguousDimOf(tensor) : depthDim;
  if (!wgmmaSwizzleBytes(type.getShape(), bits, contiguous))
    contiguous = depthDim;
  return wgmmaSharedLayout(type.getShape(), bits, contiguous);
}

std::optional<LinearLayout> tilec::tensorCopyLayout(Value tensor) {
  auto source = [](Value value) {
    while (auto convert = value.getDefiningOp<ConvertLayoutOp>())
      value = convert.getSource();
    return value;
  };
  tensor = source(tensor);
  auto permute = tensor.getDefiningOp<tile::PermuteOp>();
  if (permute)
    tensor = source(permute.getSource());
  auto load = tensor.getDefiningOp<tile::DescriptorLoadOp>();
  if (!load)
    return std::nullopt;
  auto type = cast<RankedTensorType>(load.getType());
  auto form = tensorMapTile(type.getShape(), int32_t(tile::bitWidthOf(type.getElementType())));
  if (!form)
    return std::nullopt;
  return permute ? permuteLayout(form->memory, permute.getOrder()) : form->memory;
}

/// The operand that had best be read through registers: the instruction reads 8 and 32 bits from
/// shared memory along K only, and memory has them along rows or columns. Of two such operands the
/// larger one.
static std::optional<unsigned> chooseFragments(DotOp dot) {
  std::optional<unsigned> chosen;
  int64_t most = 0;
  for (unsigned operand : {0u, 1u}) {
    Value tensor = dot->getOperand(operand);
    unsigned freeDim = operand;
    int64_t extent = cast<RankedTensorType>(tensor.getType()).getDimSize(freeDim);
    if (storageBits(tensor) == 16 || extent < kInstrRows || extent <= most ||
        contiguousDimOf(tensor) != freeDim || comesFromProduct(tensor))
      continue;
    chosen = operand;
    most = extent;
  }
  return chosen;
}

/// What 8-bit integers become floats of: the operand that threads widen between its buffer and the
/// instruction's registers.
static std::optional<unsigned> chooseWidened(DotOp dot) {
  std::optional<unsigned> chosen = operandWidenedInRegisters(dot.getLhs(), dot.getRhs());
  Operation *widening = chosen ? dot->getOperand(*chosen).getDefiningOp() : nullptr;
  if (!isa_and_nonnull<arith::SIToFPOp, arith::UIToFPOp>(widening))
    return std::nullopt;
  Value bytes = widening->getOperand(0);
  unsigned depthDim = 1 - *chosen;
  if (contiguousDimOf(bytes) != depthDim || comesFromProduct(bytes))
    return std::nullopt;
  return chosen;
}

/// Gives the load of a 32-bit operand that memory has along its rows or columns, and that is stored
/// along K, a layout for copies of single elements: a warp's are 8 along memory, a whole sector,
/// and 4 along K, so that they are in all banks of the swizzled buffer.
static void spreadTransposingLoad(Value tensor, unsigned freeDim) {
  while (auto convert = tensor.getDefiningOp<ConvertLayoutOp>())
    tensor = convert.getSource();
  if (auto permute = tensor.getDefiningOp<tile::PermuteOp>()) {
    freeDim = unsigned(permute.getOrder()[freeDim]);
    tensor = permute.getSource();
    while (auto convert = tensor.getDefiningOp<ConvertLayoutOp>())
      tensor = convert.getSource();
  }
  auto load = tensor.getDefiningOp<tile::LoadOp>();
  if (!load)
    return;
  constexpr int32_t kFreeLanes = 8, kDepthLanes = 4;
  auto type = cast<RankedTensorType>(load.getType());
  unsigned depthDim = 1 - freeDim;
  int64_t depth = type.getDimSize(depthDim);
  int32_t warps = numWarpsOf(load);
  SmallVector<int32_t> lanesOf(2), warpsOf(2), order = {int32_t(freeDim), int32_t(depthDim)};
  lanesOf[freeDim] = kFreeLanes, lanesOf[depthDim] = kDepthLanes;
  warpsOf[depthDim] = int32_t(std::min<int64_t>(warps, depth / kDepthLanes));
  warpsOf[freeDim] = warps / warpsOf[depthDim];
  setAccessLayout(load, blockedLayout(type.getShape(), {1, 1}, lanesOf, warpsOf, order));
}

/// Stores an operand to a buffer that the instruction reads. What memory does not have along K is
/// copied element by element, or, bytes and what the copy engine copies, gets there from a buffer
/// like memory, so that its load may be copied ahead.
static Value storeAlongK(OpBuilder &builder, Location loc, Value tensor, unsigned operand) {
  tensor = widenBehindBuffer(builder, loc, tensor);
  auto type = cast<RankedTensorType>(tensor.getType());
  int32_t bits = storageBits(tensor);
  std::optional<WgmmaTransposition> way;
  if (bits != 16 && contiguousDimOf(tensor) == operand) {
    std::optional<LinearLayout> given = tensorCopyLayout(tensor);
    if (bits == 8 || given)
      way = wgmmaTransposition(type.getShape(), bits, 1 - operand,
                               numWarpsOf(&*builder.getInsertionPoint()), given);
    else
      spreadTransposingLoad(tensor, operand);
  }
  LinearLayout memory = sharedOperandLayout(tensor, operand);
  if (!way)
    return storeOperand(builder, loc, tensor, memory);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(outsideOfLoops(&*builder.getInsertionPoint(), tensor));
  Value asLoaded = storeOperand(builder, loc, tensor, way->memory);
  Value moved = LocalLoadOp::create(builder, loc, withLayout(type, way->registers), asLoaded);
  return storeOperand(builder, loc, moved, memory);
}

namespace {
struct AccelerateDots final : tilec::impl::TileGPUAccelerateDotsPassBase<AccelerateDots> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<DotOp> dots;
    getOperation().walk([&](DotOp dot) { dots.push_back(dot); });
    for (DotOp dot : dots) {
      widenLast(dot);
      std::optional<std::string> reason = whyNotWgmma(dot);
      if (!reason) {
        replaceByWgmma(dot);
        continue;
      }
      std::optional<std::string> noMma = whyNotMma(dot);
      if (noMma)
        remark::missed(dot.getLoc(),
                       remark::RemarkOpts::name("NoTensorCore").category(remarks::kDot))
            << "dot runs as multiply-adds, not on tensor cores: " << *noMma;
      else if (hasWgmma())
        remark::missed(dot.getLoc(), remark::RemarkOpts::name("NoWgmma").category(remarks::kDot))
            << "dot runs as mma.sync instead of wgmma: " << *reason;
      if (!noMma)
        replaceByMma(dot);
    }
  }

private:
  bool hasWgmma() { return processorOf(getOperation()).has(Feature::Wgmma); }

  std::optional<std::string> whyNotWgmma(DotOp dot) {
    ProductForm form{cast<RankedTensorType>(dot.getLhs().getType()),
                     cast<RankedTensorType>(dot.getRhs().getType()),
                     cast<RankedTensorType>(dot.getType()), dot.getPrecision()};
    if (auto reason =
            tilec::whyNotWgmma(form, processorOf(getOperation()), numWarpsOf(getOperation())))
      return reason;
    if (!chooseWidened(dot) && widensSmallProduct(dot))
      return "with few rows, storing the widened right operand to shared memory costs more than "
             "wgmma gains";
    return std::nullopt;
  }

  void replaceByWgmma(DotOp dot) {
    OpBuilder builder(dot);
    Location loc = dot.getLoc();
    auto type = cast<RankedTensorType>(dot.getType());
    std::optional<unsigned> widened = chooseWidened(dot);
    std::optional<unsigned> fragments = widened ? widened : chooseFragments(dot);
    // The operand whose rows or columns are the instruction's rows.
    unsigned left = fragments.value_or(0), right = 1 - left;
    SmallVector<int64_t> shape = {type.getDimSize(left), type.getDimSize(right)};
    int32_t groups = numWarpsOf(getOperation()) / kWarpsOfGroup;
    int32_t rowGroups = int32_t(std::min<int64_t>(groups, shape[0] / kInstrRows));
    WgmmaProductForm form;
    form.rowWarps = rowGroups * kWarpsOfGroup;
    form.columnGroups = groups / rowGroups;
    form.columns = int32_t(std::max<int64_t>(8, shape[1] / form.columnGroups));
    form.columns = std::min(form.columns, kMaxInstrColumns);
    // Of columns that are not all wanted each warpgroup makes as many as the others.
    form.alternates =
        form.columnGroups > 1 && dot->hasAttr(tile::TileDialect::kColumnsAttr) && right == 1;
    form.pairsRows = fragments.has_value() && !widened;
    auto asOperand = [&](const LinearLayout &layout) {
      return left == 1 ? permuteLayout(layout, {1, 0}) : layout;
    };
    RankedTensorType computed = withLayout(type, asOperand(wgmmaProductLayout(shape, form)));

    Value operands[] = {dot.getLhs(), dot.getRhs()};
    auto leftType = cast<RankedTensorType>(operands[left].getType());
    int32_t bits = storageBits(operands[left]);
    auto fragmentLayout = [&] {
      int64_t depth = leftType.getDimSize(right);
      return asOperand(wgmmaFragmentLayout({shape[0], depth}, bits, form));
    };
    auto isUnsigned = dot.getIsUnsignedAttr();
    if (widened) {
      Operation *widening = operands[left].getDefiningOp();
      if (isa<arith::UIToFPOp>(widening))
        isUnsigned = builder.getUnitAttr();
      Value bytes = widening->getOperand(0);
      std::optional<LinearLayout> memory = tensorCopyLayout(bytes);
      if (!memory)
        memory = mmaSharedLayout(leftType.getShape(), storageBits(bytes), right, fragmentLayout());
      operands[left] = storeOperand(builder, loc, bytes, *memory);
      remark::passed(loc, remark::RemarkOpts::name("WidenedInRegisters").category(remarks::kDot))
          << (left == 0 ? "the left" : "the right")
          << " operand is widened in registers, from which wgmma takes it";
    } else if (fragments) {
      std::optional<LinearLayout> memory = tensorCopyLayout(operands[left]);
      if (!memory)
        memory = mmaSharedLayout(leftType.getShape(), bits, left, fragmentLayout());
      operands[left] = storeOperand(builder, loc, operands[left], *memory);
      remark::passed(loc, remark::RemarkOpts::name("ReadThroughRegisters").category(remarks::kDot))
          << (left == 0 ? "the left" : "the right")
          << " operand is read through registers: from shared memory wgmma takes 8- and 32-bit "
             "elements only when they are contiguous along K";
    } else if (comesFromProduct(operands[0]) && bits == 16) {
      operands[0] = builder.createOrFold<ConvertLayoutOp>(
          loc, withLayout(leftType, fragmentLayout()), operands[0]);
    } else {
      operands[0] = storeOperand(builder, loc, operands[0], sharedOperandLayout(operands[0], 0));
    }
    operands[right] = storeAlongK(builder, loc, operands[right], right);
    Value acc = builder.createOrFold<ConvertLayoutOp>(loc, computed, dot.getAcc());
    auto started = WgmmaOp::create(
        builder, loc, computed, operands[0], operands[1], acc, dot.getMaxImpreciseAccAttr(),
        isUnsigned, fragments ? builder.getI32IntegerAttr(int32_t(*fragments)) : IntegerAttr());
    // Columns of the instruction are those of the dot, but where it computes the transpose.
    if (Attribute columns = dot->getAttr(tile::TileDialect::kColumnsAttr); columns && right == 1)
      started->setAttr(tile::TileDialect::kColumnsAttr, columns);
    auto done = WgmmaWaitOp::create(builder, loc, ValueRange(started.getResult()), 0);
    dot.replaceAllUsesWith(builder.createOrFold<ConvertLayoutOp>(loc, type, done.getResult(0)));
    dot.erase();
  }
};
} // namespace
