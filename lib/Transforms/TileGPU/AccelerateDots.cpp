// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the unit of a matrix product. On sm_90a a product whose tile fills warpgroups becomes a
// wgmma on buffers in shared memory: the operands are stored there (the pipeliner turns the stores
// of loads into asynchronous copies), the accumulator gets the instruction's layout. A left operand
// that is computed from another product stays in registers.

#include "AccelerateDots.h"

#include "tilec/Transforms/TileGPU/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"
#include "tilec/Layout/TensorLayouts.h"
#include "tilec/Layout/WgmmaLayout.h"

#define DEBUG_TYPE "tilegpu-accelerate-dots"

namespace tilec {
#define GEN_PASS_DEF_TILEGPUACCELERATEDOTSPASS
#include "tilec/Transforms/TileGPU/Passes.h.inc"
} // namespace tilec

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

static constexpr int64_t kInstrRows = 64, kInstrDepthBits = 256;
static constexpr int32_t kMaxInstrColumns = 256, kWarpsOfGroup = 4;

static Type elementOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

/// Whether wgmma multiplies these types into this accumulator.
static bool hasInstruction(DotOp dot) {
  Type a = elementOf(dot.getLhs()), b = elementOf(dot.getRhs());
  Type acc = elementOf(dot.getAcc());
  auto isFloat8 = [](Type type) { return isa<Float8E4M3FNType, Float8E5M2Type>(type); };
  if (isFloat8(a) && isFloat8(b))
    return acc.isF32() || acc.isF16();
  if (a != b)
    return false;
  if (a.isF16())
    return acc.isF32() || acc.isF16();
  if (a.isBF16())
    return acc.isF32();
  if (a.isF32())
    return acc.isF32() && dot.getPrecision() == tile::InputPrecision::tf32;
  return a.isInteger(8) && acc.isInteger(32);
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
static bool comesFromProduct(Value value, unsigned depth) {
  Operation *op = value.getDefiningOp();
  if (!op || depth > 16)
    return false;
  if (isa<DotOp, MmaOp, WgmmaOp, WgmmaWaitOp>(op))
    return true;
  if (!isa<ConvertLayoutOp>(op) && !op->hasTrait<OpTrait::Elementwise>())
    return false;
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    return isa<RankedTensorType>(operand.getType()) && comesFromProduct(operand, depth + 1);
  });
}

bool tilec::comesFromProduct(Value value) { return ::comesFromProduct(value, 0); }

Operation *tilec::outsideOfLoops(Operation *op, Value value) {
  for (Operation *parent = op->getParentOp(); isa<LoopLikeOpInterface>(parent);
       parent = op->getParentOp()) {
    if (!cast<LoopLikeOpInterface>(parent).isDefinedOutsideOfLoop(value))
      break;
    op = parent;
  }
  return op;
}

/// Stores a tensor to a buffer that wgmma reads.
static Value storeOperand(OpBuilder &builder, Location loc, Value tensor, unsigned operand) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(outsideOfLoops(&*builder.getInsertionPoint(), tensor));
  auto type = cast<RankedTensorType>(tensor.getType());
  int32_t bits = int32_t(tile::bitWidthOf(type.getElementType()));
  unsigned depthDim = operand == 0 ? 1 : 0;
  unsigned contiguous = bits == 16 ? contiguousDimOf(tensor) : depthDim;
  if (!wgmmaSwizzleBytes(type.getShape(), bits, contiguous))
    contiguous = depthDim;
  LinearLayout memory = wgmmaSharedLayout(type.getShape(), bits, contiguous);
  auto bufferType = MemDescType::get(builder.getContext(), type.getShape(), type.getElementType(),
                                     LinearAttr::get(builder.getContext(), memory));
  auto buffer = LocalAllocOp::create(builder, loc, bufferType, IntegerAttr());
  LocalStoreOp::create(builder, loc, tensor, buffer);
  ProxyFenceOp::create(builder, loc);
  return buffer;
}

namespace {
struct AccelerateDots final : tilec::impl::TileGPUAccelerateDotsPassBase<AccelerateDots> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<DotOp> dots;
    getOperation().walk([&](DotOp dot) { dots.push_back(dot); });
    for (DotOp dot : dots) {
      std::optional<std::string> reason = whyNotWgmma(dot);
      if (!reason) {
        replaceByWgmma(dot);
        continue;
      }
      std::optional<std::string> noMma = whyNotMma(dot);
      if (noMma)
        remark::missed(dot.getLoc(), remark::RemarkOpts::name("NoTensorCore").category("dot"))
            << "product by multiply-adds: " << *noMma;
      else if (hasWgmma())
        remark::missed(dot.getLoc(), remark::RemarkOpts::name("NoWgmma").category("dot"))
            << "product by single warps: " << *reason;
      if (!noMma)
        replaceByMma(dot);
    }
  }

private:
  bool hasWgmma() {
    auto target = getOperation()->getAttrOfType<StringAttr>("tilegpu.target");
    return target && target.getValue() == "sm_90a";
  }

  std::optional<std::string> whyNotWgmma(DotOp dot) {
    if (!hasWgmma())
      return "the target has no wgmma";
    auto type = cast<RankedTensorType>(dot.getType());
    if (type.getRank() != 2)
      return "wgmma multiplies single matrices";
    if (numWarpsOf(getOperation()) % kWarpsOfGroup)
      return "wgmma needs a multiple of 4 warps";
    if (!hasInstruction(dot))
      return "wgmma has no such combination of types";
    auto lhs = cast<RankedTensorType>(dot.getLhs().getType());
    int64_t bits = tile::bitWidthOf(lhs.getElementType());
    if (type.getDimSize(0) < kInstrRows)
      return "wgmma needs at least 64 rows";
    if (type.getDimSize(1) < 8)
      return "wgmma needs at least 8 columns";
    if (lhs.getDimSize(1) * bits < kInstrDepthBits)
      return "wgmma needs 32 bytes along K";
    return std::nullopt;
  }

  void replaceByWgmma(DotOp dot) {
    OpBuilder builder(dot);
    Location loc = dot.getLoc();
    auto type = cast<RankedTensorType>(dot.getType());
    int32_t groups = numWarpsOf(getOperation()) / kWarpsOfGroup;
    int32_t rowGroups = int32_t(std::min<int64_t>(groups, type.getDimSize(0) / kInstrRows));
    int32_t columnGroups = groups / rowGroups;
    int32_t columns = int32_t(std::max<int64_t>(8, type.getDimSize(1) / columnGroups));
    columns = std::min(columns, kMaxInstrColumns);
    int32_t warps[] = {rowGroups * kWarpsOfGroup, columnGroups};
    LinearLayout product = wgmmaAccumulatorLayout(type.getShape(), warps, columns);
    RankedTensorType computed = withLayout(type, product);

    Value lhs = dot.getLhs();
    auto lhsType = cast<RankedTensorType>(lhs.getType());
    bool wantsRegisters = comesFromProduct(lhs) && tile::bitWidthOf(lhsType.getElementType()) == 16;
    if (wantsRegisters) {
      LinearLayout layout = mmaOperandLayout(lhsType.getShape(), 0, 2, warps, /*mFirstWarps=*/true);
      lhs = builder.createOrFold<ConvertLayoutOp>(loc, withLayout(lhsType, layout), lhs);
    } else {
      lhs = storeOperand(builder, loc, lhs, 0);
    }
    Value rhs = storeOperand(builder, loc, dot.getRhs(), 1);
    Value acc = builder.createOrFold<ConvertLayoutOp>(loc, computed, dot.getAcc());
    auto started = WgmmaOp::create(builder, loc, computed, lhs, rhs, acc,
                                   dot.getMaxImpreciseAccAttr(), dot.getIsUnsignedAttr());
    auto done = WgmmaWaitOp::create(builder, loc, ValueRange(started.getResult()), 0);
    dot.replaceAllUsesWith(builder.createOrFold<ConvertLayoutOp>(loc, type, done.getResult(0)));
    dot.erase();
  }
};
} // namespace
