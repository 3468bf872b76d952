// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Grid coordinates, barriers, assumptions, assertions and printing.

#include "ThreadPattern.h"

#include "tilec/Layout/TensorLayouts.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

namespace {
struct ProgramId : ThreadPattern<tile::ProgramIdOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(tile::ProgramIdOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    // The grid limits of the hardware: 2^31-1 along x, 65535 along y and z.
    auto range = LLVM::ConstantRangeAttr::get(getContext(), APInt(32, 0),
                                              APInt(32, op.getAxis() == 0 ? 0x7fffffffu : 65535u));
    Type i32 = rewriter.getI32Type();
    switch (op.getAxis()) {
    case 0:
      rewriter.replaceOpWithNewOp<NVVM::BlockIdXOp>(op, i32, range);
      break;
    case 1:
      rewriter.replaceOpWithNewOp<NVVM::BlockIdYOp>(op, i32, range);
      break;
    default:
      rewriter.replaceOpWithNewOp<NVVM::BlockIdZOp>(op, i32, range);
    }
    return success();
  }
};

struct NumPrograms : ThreadPattern<tile::NumProgramsOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(tile::NumProgramsOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type i32 = rewriter.getI32Type();
    switch (op.getAxis()) {
    case 0:
      rewriter.replaceOpWithNewOp<NVVM::GridDimXOp>(op, i32);
      break;
    case 1:
      rewriter.replaceOpWithNewOp<NVVM::GridDimYOp>(op, i32);
      break;
    default:
      rewriter.replaceOpWithNewOp<NVVM::GridDimZOp>(op, i32);
    }
    return success();
  }
};

/// Whether the kernel has tensor maps.
bool copiesTensors(Operation *op) {
  auto func = op->getParentOfType<func::FuncOp>();
  for (unsigned i = 0; func && i < func.getNumArguments(); ++i)
    if (func.getArgAttr(i, tile::TileDialect::kTensorMapAttr))
      return true;
  return false;
}

struct Barrier : ThreadPattern<tile::BarrierOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(tile::BarrierOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (copiesTensors(op)) {
      // What was stored comes before tensor copies behind the barrier, and the other way round.
      NVVM::CpAsyncBulkWaitGroupOp::create(rewriter, op.getLoc(), 0, UnitAttr());
      NVVM::FenceProxyOp::create(rewriter, op.getLoc(),
                                 NVVM::ProxyKindAttr::get(getContext(), NVVM::ProxyKind::async),
                                 NVVM::SharedSpaceAttr());
    }
    NVVM::Barrier0Op::create(rewriter, op.getLoc());
    rewriter.eraseOp(op);
    return success();
  }
};

struct Assume : ThreadPattern<tile::AssumeOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(tile::AssumeOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LLVM::AssumeOp::create(rewriter, op.getLoc(), adaptor.getCondition());
    rewriter.eraseOp(op);
    return success();
  }
};

struct Assert : ThreadPattern<tile::AssertOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(tile::AssertOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value all;
    for (Value value : adaptor.getCondition())
      all = all ? arith::AndIOp::create(rewriter, op.getLoc(), all, value).getResult() : value;
    ThreadAssertOp::create(rewriter, op.getLoc(), all, op.getMessage());
    rewriter.eraseOp(op);
    return success();
  }
};

/// One line per element, from the first thread that holds it.
struct Print : ThreadPattern<tile::PrintOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(tile::PrintOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    for (auto [i, registers] : llvm::enumerate(adaptor.getValues())) {
      bool isSigned = !op.getIsSigned() || (*op.getIsSigned())[i];
      ArrayRef<int64_t> extents;
      if (op.getExtents())
        extents = cast<DenseI64ArrayAttr>((*op.getExtents())[i]).asArrayRef();
      printRegisters(op, op.getValues()[i].getType(), registers, isSigned, extents, rewriter);
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  void printRegisters(tile::PrintOp op, Type type, ValueRange registers, bool isSigned,
                      ArrayRef<int64_t> extents, OpBuilder &builder) const {
    Location loc = op.getLoc();
    auto tensor = dyn_cast<RankedTensorType>(type);
    Value first =
        tensor ? isFirstReplica(builder, op, lowering.position, layoutOf(tensor))
               : arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       lowering.position.thread(op), constantI32(builder, loc, 0))
                     .getResult();
    if (!first)
      first = arith::ConstantIntOp::create(builder, loc, 1, 1);
    int64_t replicas = tensor ? layoutOf(tensor).getFreeVariableMask(kRegister) : 0;
    for (auto [r, value] : llvm::enumerate(registers)) {
      if (int64_t(r) & replicas)
        continue;
      SmallVector<Value> coordinates;
      if (tensor)
        coordinates = elementCoordinates(op, layoutOf(tensor), r, builder);
      Value prints = first;
      for (auto [coordinate, extent] : llvm::zip(coordinates, extents)) {
        Value inside = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, coordinate,
                                             constantI32(builder, loc, extent));
        prints = arith::AndIOp::create(builder, loc, prints, inside);
      }
      ThreadPrintOp::create(builder, loc, op.getPrefixAttr(), value, coordinates, prints,
                            op.getHexAttr(), isSigned ? builder.getUnitAttr() : UnitAttr());
    }
  }

  SmallVector<Value> elementCoordinates(Operation *op, const LinearLayout &layout, int64_t reg,
                                        OpBuilder &builder) const {
    SmallVector<Value> coordinates;
    for (const std::string &dim : layout.getOutDimNames()) {
      LinearLayout axis = layout.sublayout({kRegister, kLane, kWarp}, {dim});
      LinearIndex index = threadPart(builder, op, lowering.position, axis);
      coordinates.push_back(index.at(builder, op->getLoc(), registerPart(axis, reg)));
    }
    return coordinates;
  }
};
} // namespace

void tilec::populateProgramPatterns(RewritePatternSet &patterns, const ThreadLowering &lowering) {
  patterns.add<ProgramId, NumPrograms, Barrier, Assume, Assert, Print>(lowering,
                                                                       patterns.getContext());
}
