// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dots by multiply-adds. A thread reads the rows and columns of its elements from shared
// memory, a piece of K at a time so that the pieces fit in registers, and adds all products of
// the piece to its accumulators; the pieces are a loop unless there are few, in this product and in
// all of the function. Accumulators that do not fit in registers wait in local memory, from which a
// loop takes a square group at a time. Narrow floats are widened to f32 and 8-bit integers to i32.
// Each accumulator adds its products one after the other, in the order of K.

#include "DotOperand.h"
#include "LocalSums.h"
#include "ThreadPattern.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// Operand elements that a thread holds at a time.
static constexpr int64_t kPieceElements = 64;
/// Multiply-adds that are worth no loop: in one product, and in all products of a function.
static constexpr int64_t kUnrolledProducts = 1024, kUnrolledInFunction = 4096;
/// Accumulators that stay in registers, and those of a group where there are more.
static constexpr int64_t kMostSums = 128, kGroupSums = 64;

static Value multiplyAdd(OpBuilder &builder, Location loc, Value a, Value b, Value acc) {
  if (isa<FloatType>(acc.getType()))
    return math::FmaOp::create(builder, loc, a, b, acc);
  return arith::AddIOp::create(builder, loc, arith::MulIOp::create(builder, loc, a, b), acc);
}

namespace {
/// The product's registers in groups.
struct SumGroups {
  /// The bits of a register's number that name its group.
  SmallVector<unsigned> bits;
  /// The registers of the first group.
  SmallVector<int64_t> first;

  int64_t getCount() const { return int64_t(1) << bits.size(); }
  /// What the registers of group number `group` have in `bits`.
  int64_t bitsOf(int64_t group) const {
    int64_t result = 0;
    for (auto [i, bit] : llvm::enumerate(bits))
      result |= (group >> i & 1) << bit;
    return result;
  }
};

/// Writes the code of one product.
class ProductEmitter {
public:
  ProductEmitter(DotOp dot, DotOperand &left, DotOperand &right, bool mayUnroll)
      : op(dot), loc(dot.getLoc()), lhs(left), rhs(right), unrolls(mayUnroll) {}

  SmallVector<Value> emit(OpBuilder &builder, SmallVector<Value> sums) {
    SumGroups groups = chooseGroups(sums.size());
    if (groups.getCount() == 1)
      return addProducts(builder, lhs.startOfAll(), rhs.startOfAll(), groups.first, sums);
    return emitGroups(builder, groups, sums);
  }

private:
  /// Groups of as few lines as possible for a loop, or one group.
  SumGroups chooseGroups(int64_t numSums) const {
    SmallVector<unsigned> inside, others;
    for (unsigned bit = 0; int64_t(1) << bit < numSums; ++bit)
      (lhs.isInVector(bit) || rhs.isInVector(bit) ? inside : others).push_back(bit);
    SumGroups groups;
    if (numSums > kMostSums && lhs.isLinear() && rhs.isLinear()) {
      while (int64_t(1) << inside.size() < kGroupSums && !others.empty()) {
        auto linesWith = [&](unsigned bit) {
          SmallVector<unsigned> bits = inside;
          bits.push_back(bit);
          SmallVector<int64_t> registers = registersOf(bits);
          return countLines(lhs, registers) + countLines(rhs, registers);
        };
        unsigned *best = others.begin();
        for (unsigned &bit : others)
          if (linesWith(bit) < linesWith(*best))
            best = &bit;
        inside.push_back(*best);
        others.erase(best);
      }
      groups.bits = others;
    } else {
      inside.append(others);
    }
    groups.first = registersOf(inside);
    return groups;
  }

  /// The numbers of registers that have nothing but `bits`, in order.
  static SmallVector<int64_t> registersOf(ArrayRef<unsigned> bits) {
    SmallVector<int64_t> registers = {0};
    for (unsigned bit : bits)
      for (size_t i = 0, count = registers.size(); i < count; ++i)
        registers.push_back(registers[i] | int64_t(1) << bit);
    llvm::sort(registers);
    return registers;
  }

  static int64_t countLines(const DotOperand &operand, ArrayRef<int64_t> registers) {
    DenseSet<int64_t> lines;
    for (int64_t reg : registers)
      lines.insert(operand.lineOf(reg));
    return lines.size();
  }

  /// Adds all products of `registers` to their `sums`.
  SmallVector<Value> addProducts(OpBuilder &builder, const LinearIndex &left,
                                 const LinearIndex &right, ArrayRef<int64_t> registers,
                                 SmallVector<Value> sums) {
    int64_t lines = countLines(lhs, registers) + countLines(rhs, registers);
    int64_t depth = lhs.getDepth();
    int64_t length = llvm::bit_floor(uint64_t(std::max<int64_t>(1, kPieceElements / lines)));
    length = std::min(depth, std::max({length, lhs.minPiece(), rhs.minPiece()}));
    int64_t pieces = depth / length;

    auto addPiece = [&](OpBuilder &inner, Value piece, SmallVectorImpl<Value> &to) {
      lhs.read(inner, loc, left, piece, length, registers);
      rhs.read(inner, loc, right, piece, length, registers);
      for (int64_t k = 0; k < length; ++k)
        for (auto [reg, sum] : llvm::zip(registers, to))
          sum = multiplyAdd(inner, loc, lhs.get(reg, k, length), rhs.get(reg, k, length), sum);
    };
    if (pieces == 1 || (unrolls && int64_t(sums.size()) * depth <= kUnrolledProducts)) {
      for (int64_t i = 0; i < pieces; ++i)
        addPiece(builder, constantI32(builder, loc, i), sums);
      return sums;
    }
    Value zero = constantI32(builder, loc, 0), one = constantI32(builder, loc, 1);
    auto loop =
        scf::ForOp::create(builder, loc, zero, constantI32(builder, loc, pieces), one, sums,
                           [&](OpBuilder &inner, Location, Value piece, ValueRange carried) {
                             SmallVector<Value> to(carried);
                             addPiece(inner, piece, to);
                             scf::YieldOp::create(inner, loc, to);
                           });
    return llvm::to_vector_of<Value>(loop.getResults());
  }

  /// A loop over groups of sums in local memory.
  SmallVector<Value> emitGroups(OpBuilder &builder, const SumGroups &groups, ArrayRef<Value> sums) {
    int64_t size = groups.first.size();
    LocalSums memory(builder, op, sums.front().getType(), sums.size());
    Value zero = constantI32(builder, loc, 0), one = constantI32(builder, loc, 1);
    // Zeros, for example, are made in the loop.
    bool areEqual = llvm::all_equal(sums);
    for (int64_t group = 0; group < groups.getCount() && !areEqual; ++group)
      memory.store(builder, loc, pick(sums, groups, group), zero, group * size);
    unrolls = false;
    scf::ForOp::create(
        builder, loc, zero, constantI32(builder, loc, groups.getCount()), one, ValueRange(),
        [&](OpBuilder &inner, Location, Value group, ValueRange) {
          Value first = arith::MulIOp::create(inner, loc, group, constantI32(inner, loc, size));
          SmallVector<Value> some(size, sums.front());
          if (!areEqual)
            some = memory.load(inner, loc, first, 0, size);
          some = addProducts(inner, lhs.startOf(inner, loc, group, groups.bits),
                             rhs.startOf(inner, loc, group, groups.bits), groups.first, some);
          memory.store(inner, loc, some, first, 0);
          scf::YieldOp::create(inner, loc);
        });
    SmallVector<Value> result(sums.size());
    for (int64_t group = 0; group < groups.getCount(); ++group)
      for (auto [reg, sum] :
           llvm::zip(groups.first, memory.load(builder, loc, zero, group * size, size)))
        result[reg | groups.bitsOf(group)] = sum;
    return result;
  }

  static SmallVector<Value> pick(ArrayRef<Value> sums, const SumGroups &groups, int64_t group) {
    SmallVector<Value> picked;
    for (int64_t reg : groups.first)
      picked.push_back(sums[reg | groups.bitsOf(group)]);
    return picked;
  }

  DotOp op;
  Location loc;
  DotOperand &lhs, &rhs;
  bool unrolls;
};

struct Dot : ThreadPattern<DotOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(DotOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!isa<MemDescType>(op.getLhs().getType()) || !isa<MemDescType>(op.getRhs().getType()))
      return op.emitError("expected operands in shared memory: run tilegpu-decompose-dots first");
    Location loc = op.getLoc();
    DotOperand lhs(rewriter, op, 0, adaptor.getLhs().front(), lowering);
    DotOperand rhs(rewriter, op, 1, adaptor.getRhs().front(), lowering);
    Type element = cast<RankedTensorType>(op.getType()).getElementType();
    SmallVector<Value> sums;
    for (Value value : adaptor.getAcc())
      sums.push_back(widenForProduct(rewriter, loc, value, element, false));
    sums = ProductEmitter(op, lhs, rhs, !lowering.manyProducts.contains(op)).emit(rewriter, sums);
    for (Value &sum : sums)
      if (sum.getType() != element)
        sum = arith::TruncFOp::create(rewriter, loc, element, sum);
    rewriter.replaceOpWithMultiple(op, {sums});
    return success();
  }
};
} // namespace

DenseSet<Operation *> tilec::findManyProducts(ModuleOp module) {
  DenseSet<Operation *> found;
  for (auto func : module.getOps<func::FuncOp>()) {
    SmallVector<Operation *> dots;
    int64_t products = 0;
    func.walk([&](DotOp dot) {
      // Others are refused by their pattern.
      auto lhs = dyn_cast<MemDescType>(dot.getLhs().getType());
      if (!lhs)
        return;
      const LinearLayout &product = layoutOf(cast<RankedTensorType>(dot.getType()));
      products += product.getInDimSize(kRegister) * lhs.getShape().back();
      dots.push_back(dot);
    });
    if (products > kUnrolledInFunction)
      found.insert(dots.begin(), dots.end());
  }
  return found;
}

void tilec::populateDotPatterns(RewritePatternSet &patterns, const ThreadLowering &lowering) {
  patterns.add<Dot>(lowering, patterns.getContext());
}
