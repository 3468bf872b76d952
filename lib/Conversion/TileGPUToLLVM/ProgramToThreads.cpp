// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Grid coordinates, barriers, assumptions, assertions and printing.

#include "ThreadPattern.h"

#include "tilec/Layout/TensorLayouts.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// The index of this CTA in the grid: 2^31-1 of them at most along x, 65535 along y and z.
static Value ctaIndex(OpBuilder &builder, Location loc, uint32_t axis) {
  auto range = LLVM::ConstantRangeAttr::get(builder.getContext(), APInt(32, 0),
                                            APInt(32, axis == 0 ? 0x7fffffffu : 65535u));
  Type i32 = builder.getI32Type();
  if (axis == 0)
    return NVVM::BlockIdXOp::create(builder, loc, i32, range);
  if (axis == 1)
    return NVVM::BlockIdYOp::create(builder, loc, i32, range);
  return NVVM::BlockIdZOp::create(builder, loc, i32, range);
}

static Value gridSize(OpBuilder &builder, Location loc, uint32_t axis) {
  Type i32 = builder.getI32Type();
  if (axis == 0)
    return NVVM::GridDimXOp::create(builder, loc, i32);
  if (axis == 1)
    return NVVM::GridDimYOp::create(builder, loc, i32);
  return NVVM::GridDimZOp::create(builder, loc, i32);
}

namespace {
struct ProgramId : ThreadPattern<tile::ProgramIdOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(tile::ProgramIdOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, ctaIndex(rewriter, op.getLoc(), op.getAxis()));
    return success();
  }
};

struct NumPrograms : ThreadPattern<tile::NumProgramsOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(tile::NumProgramsOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, gridSize(rewriter, op.getLoc(), op.getAxis()));
    return success();
  }
};

/// Arithmetic of unsigned numbers of 32 bits.
struct Arithmetic {
  OpBuilder &builder;
  Location loc;

  Value constant(int64_t value) { return constantI32(builder, loc, value); }
  Value add(Value a, Value b) { return arith::AddIOp::create(builder, loc, a, b); }
  Value sub(Value a, Value b) { return arith::SubIOp::create(builder, loc, a, b); }
  Value mul(Value a, Value b) { return arith::MulIOp::create(builder, loc, a, b); }
  Value div(Value a, Value b) { return arith::DivUIOp::create(builder, loc, a, b); }
  Value rem(Value a, Value b) { return arith::RemUIOp::create(builder, loc, a, b); }
  Value min(Value a, Value b) { return arith::MinUIOp::create(builder, loc, a, b); }
  Value shiftLeft(Value a, Value b) { return arith::ShLIOp::create(builder, loc, a, b); }
  Value shiftRight(Value a, Value b) { return arith::ShRUIOp::create(builder, loc, a, b); }
  Value bitAnd(Value a, Value b) { return arith::AndIOp::create(builder, loc, a, b); }
  Value isAtMost(Value a, Value b) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, a, b);
  }
  /// Neighbours run in groups of a power of two. The last group has at least `least`: nothing comes
  /// behind its short programs, and with enough of them CTAs end closer together. It begins there.
  Value beginOfLast(Value all, Value group, Value least) {
    Value rest = sub(all, min(least, all));
    return sub(rest, bitAnd(rest, sub(group, constant(1))));
  }
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(builder, loc, condition, a, b);
  }
  /// The index along an axis of the number in a grid whose first axis counts fastest.
  Value indexIn(ArrayRef<Value> sizes, unsigned axis, Value number) {
    for (Value size : sizes.take_front(axis))
      number = div(number, size);
    return axis + 1 == sizes.size() ? number : rem(number, sizes[axis]);
  }
};

/// Of `group` neighbours in the axes other than `first`, those with the smallest index come first:
///
///   start = tile / (group * size[first]) * group; width = min(group, all - start)
///   in = tile - start * size[first]; index[first] = in / width; other = start + in % width
///
/// With `least` and from `begin` (beginOfLast) on: start = begin, width = all - begin.
struct ProgramOfTile : ThreadPattern<ProgramOfTileOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(ProgramOfTileOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value sizes[] = {adaptor.getSizeX(), adaptor.getSizeY(), adaptor.getSizeZ()};
    Arithmetic a{rewriter, op.getLoc()};
    std::optional<uint32_t> axis = op.getFirst();
    if (!axis) {
      rewriter.replaceOp(op, a.indexIn(sizes, op.getAxis(), adaptor.getTile()));
      return success();
    }
    Value length = sizes[*axis];
    SmallVector<Value> others(std::begin(sizes), std::end(sizes));
    others.erase(others.begin() + *axis);
    Value number = a.mul(others[0], others[1]);
    // No more than there are, so that the product below cannot overflow.
    Value group = a.min(adaptor.getGroup(), number);
    Value members = a.mul(group, length);
    Value start = a.mul(a.div(adaptor.getTile(), members), group), within, width;
    if (Value least = adaptor.getLeast()) {
      Value begin = a.beginOfLast(number, group, least);
      start = a.min(start, begin);
      within = a.sub(adaptor.getTile(), a.mul(start, length));
      width = a.select(a.isAtMost(begin, start), a.sub(number, begin), group);
    } else {
      within = a.rem(adaptor.getTile(), members);
      width = a.min(group, a.sub(number, start));
    }
    if (op.getAxis() == *axis) {
      Value index = a.div(within, width);
      rewriter.replaceOp(op, op.getLast() ? a.sub(a.sub(length, a.constant(1)), index) : index);
      return success();
    }
    unsigned place = op.getAxis() - (op.getAxis() > *axis);
    rewriter.replaceOp(op, a.indexIn(others, place, a.add(start, a.rem(within, width))));
    return success();
  }
};

/// Of 2^group neighbours along y those with one index along x come one after the other:
///
///   first = y & -2^group; width = 2^group; in = x + size[0] * (y - first)
///   index[0] = in / width; index[1] = first + in % width
///
/// From `begin` (beginOfLast, of two groups) on: first = begin, width = size[1] - begin.
struct OrderedProgram : ThreadPattern<OrderedProgramOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(OrderedProgramOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Arithmetic a{rewriter, op.getLoc()};
    uint32_t axis = op.getAxis(), longest = op.getLongest();
    Value index = ctaIndex(rewriter, op.getLoc(), axis);
    if (longest == 0 && axis != 2)
      index = indexInGroup(axis, adaptor.getGroup(), a);
    if (axis == longest && op.getLast())
      index = a.sub(a.sub(gridSize(rewriter, op.getLoc(), axis), a.constant(1)), index);
    rewriter.replaceOp(op, index);
    return success();
  }

private:
  static Value indexInGroup(uint32_t axis, Value log2, Arithmetic &a) {
    // The product below does not overflow: 2^15 at most, by less than three groups of 2^15.
    constexpr int64_t kLongest = int64_t(1) << 15;
    Value x = ctaIndex(a.builder, a.loc, 0), y = ctaIndex(a.builder, a.loc, 1);
    Value columns = gridSize(a.builder, a.loc, 0), rows = gridSize(a.builder, a.loc, 1);
    Value one = a.constant(1), group = a.shiftLeft(one, log2);
    Value begin = a.beginOfLast(rows, group, a.shiftLeft(group, one));
    Value isLast = a.isAtMost(begin, y);
    Value first = a.select(isLast, begin, a.sub(y, a.bitAnd(y, a.sub(group, one))));
    Value width = a.select(isLast, a.sub(rows, begin), group);
    Value in = a.add(x, a.mul(columns, a.sub(y, first)));
    Value isShort = a.isAtMost(columns, a.constant(kLongest));
    if (axis == 0)
      return a.select(isShort, a.div(in, width), x);
    return a.select(isShort, a.add(first, a.rem(in, width)), y);
  }
};

struct Barrier : ThreadPattern<tile::BarrierOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(tile::BarrierOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::Barrier0Op>(op);
    return success();
  }
};

/// griddepcontrol, which has a meaning where a launch allows the next one to overlap with it.
template <typename Op, NVVM::GridDepActionKind kind> struct GridDependency : ThreadPattern<Op> {
  using ThreadPattern<Op>::ThreadPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    // Older machines never start a launch early.
    if (this->lowering.processor.has(Feature::DependentLaunch))
      NVVM::GriddepcontrolOp::create(rewriter, op.getLoc(), kind);
    rewriter.eraseOp(op);
    return success();
  }
};

/// A special register of the machine.
template <typename Op, typename Register> struct SpecialRegister : ThreadPattern<Op> {
  using ThreadPattern<Op>::ThreadPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<Register>(op, op.getType());
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

/// The coordinates of the element in a register.
SmallVector<Value> elementCoordinates(const ThreadPosition &position, Operation *op,
                                      const LinearLayout &layout, int64_t reg, OpBuilder &builder) {
  SmallVector<Value> coordinates;
  for (const std::string &dim : layout.getOutDimNames()) {
    LinearLayout axis = layout.sublayout({kRegister, kLane, kWarp}, {dim});
    LinearIndex index = threadPart(builder, op, position, axis);
    coordinates.push_back(index.at(builder, op->getLoc(), registerPart(axis, reg)));
  }
  return coordinates;
}

/// One check per thread. An assertion has a fixed text: of a tensor, the thread prints its first
/// element that fails before.
struct Assert : ThreadPattern<tile::AssertOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(tile::AssertOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value all;
    for (Value value : adaptor.getCondition())
      all = all ? arith::AndIOp::create(rewriter, loc, all, value).getResult() : value;
    if (auto tensor = dyn_cast<RankedTensorType>(op.getCondition().getType()))
      printElement(op, layoutOf(tensor), adaptor.getCondition(), all, rewriter);
    ThreadAssertOp::create(rewriter, loc, all, op.getMessage());
    rewriter.eraseOp(op);
    return success();
  }

private:
  void printElement(tile::AssertOp op, const LinearLayout &layout, ValueRange registers, Value all,
                    OpBuilder &builder) const {
    Location loc = op.getLoc();
    SmallVector<Value> first;
    for (size_t r = registers.size(); r-- > 0;) {
      SmallVector<Value> own =
          elementCoordinates(lowering.position, op, layout, int64_t(r), builder);
      if (first.empty())
        first = own;
      else
        for (size_t axis = 0; axis < own.size(); ++axis)
          first[axis] = arith::SelectOp::create(builder, loc, registers[r], first[axis], own[axis]);
    }
    Value isTrue = arith::ConstantIntOp::create(builder, loc, 1, 1);
    Value fails = arith::XOrIOp::create(builder, loc, all, isTrue);
    ThreadPrintOp::create(builder, loc,
                          builder.getStringAttr(" assert '" + op.getMessage() + "': "), all, first,
                          /*widths=*/nullptr, fails, UnitAttr(), UnitAttr());
  }
};

/// One line per element, from the first thread that holds it; of a print without values one line of
/// the program.
struct Print : ThreadPattern<tile::PrintOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(tile::PrintOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (op.getValues().empty())
      ThreadPrintOp::create(rewriter, op.getLoc(), op.getPrefixAttr(), /*value=*/nullptr,
                            ValueRange(), /*widths=*/nullptr, isFirstThread(op, rewriter),
                            UnitAttr(), UnitAttr());
    for (auto [i, registers] : llvm::enumerate(adaptor.getValues())) {
      bool isSigned = !op.getIsSigned() || (*op.getIsSigned())[i];
      ArrayRef<int64_t> extents;
      if (op.getExtents())
        extents = cast<DenseI64ArrayAttr>((*op.getExtents())[i]).asArrayRef();
      printRegisters(op, i, registers, isSigned, extents, rewriter);
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  Value isFirstThread(tile::PrintOp op, OpBuilder &builder) const {
    return arith::CmpIOp::create(builder, op.getLoc(), arith::CmpIPredicate::eq,
                                 lowering.position.thread(op),
                                 constantI32(builder, op.getLoc(), 0));
  }

  void printRegisters(tile::PrintOp op, size_t operand, ValueRange registers, bool isSigned,
                      ArrayRef<int64_t> extents, OpBuilder &builder) const {
    Location loc = op.getLoc();
    auto tensor = dyn_cast<RankedTensorType>(op.getValues()[operand].getType());
    Value first = tensor ? isFirstReplica(builder, op, lowering.position, layoutOf(tensor))
                         : isFirstThread(op, builder);
    StringAttr prefix = builder.getStringAttr(op.getPrefixOf(operand));
    DenseI32ArrayAttr widths = builder.getDenseI32ArrayAttr(op.getIndexWidths(operand));
    if (!first)
      first = arith::ConstantIntOp::create(builder, loc, 1, 1);
    int64_t replicas = tensor ? layoutOf(tensor).getFreeVariableMask(kRegister) : 0;
    for (auto [r, value] : llvm::enumerate(registers)) {
      if (int64_t(r) & replicas)
        continue;
      SmallVector<Value> coordinates;
      if (tensor)
        coordinates = elementCoordinates(lowering.position, op, layoutOf(tensor), r, builder);
      Value prints = first;
      for (auto [coordinate, extent] : llvm::zip(coordinates, extents)) {
        Value inside = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, coordinate,
                                             constantI32(builder, loc, extent));
        prints = arith::AndIOp::create(builder, loc, prints, inside);
      }
      ThreadPrintOp::create(builder, loc, prefix, value, coordinates, widths, prints,
                            op.getHexAttr(), isSigned ? builder.getUnitAttr() : UnitAttr());
    }
  }
};
} // namespace

void tilec::populateProgramPatterns(RewritePatternSet &patterns, const ThreadLowering &lowering) {
  patterns
      .add<ProgramId, NumPrograms, ProgramOfTile, OrderedProgram, Barrier, Assume, Assert, Print>(
          lowering, patterns.getContext());
  patterns
      .add<GridDependency<tile::GridDependencyWaitOp, NVVM::GridDepActionKind::wait>,
           GridDependency<tile::GridDependencyLaunchOp, NVVM::GridDepActionKind::launch_dependents>,
           SpecialRegister<tile::GlobalTimerOp, NVVM::GlobalTimerOp>,
           SpecialRegister<tile::ProcessorIdOp, NVVM::SmIdOp>>(lowering, patterns.getContext());
}
