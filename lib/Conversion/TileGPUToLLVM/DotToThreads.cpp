// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products by multiply-adds. A thread reads the rows and columns of its elements from shared
// memory, a piece of K at a time so that the pieces fit in registers, and adds all products of
// the piece to its accumulators; the pieces are a loop unless there are few. Narrow floats are
// widened to f32 and 8-bit integers to i32.

#include "ThreadPattern.h"

#include "tilec/Layout/DotLayout.h"
#include "tilec/Layout/SharedSwizzle.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// Operand elements that a thread holds at a time.
static constexpr int64_t kPieceElements = 64;
/// Multiply-adds that are worth no loop.
static constexpr int64_t kUnrolledProducts = 1024;

/// `value` in the type that products are computed in.
static Value widen(OpBuilder &builder, Location loc, Value value, Type element, bool isUnsigned) {
  if (auto narrow = dyn_cast<FloatType>(element)) {
    if (narrow.getWidth() == 8)
      return emitFloat8ToF32(builder, loc, value, narrow);
    if (narrow.getWidth() < 32)
      return arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
    return value;
  }
  if (element.getIntOrFloatBitWidth() >= 32)
    return value;
  if (isUnsigned)
    return arith::ExtUIOp::create(builder, loc, builder.getI32Type(), value);
  return arith::ExtSIOp::create(builder, loc, builder.getI32Type(), value);
}

static Value multiplyAdd(OpBuilder &builder, Location loc, Value a, Value b, Value acc) {
  if (isa<FloatType>(acc.getType()))
    return math::FmaOp::create(builder, loc, a, b, acc);
  return arith::AddIOp::create(builder, loc, arith::MulIOp::create(builder, loc, a, b), acc);
}

namespace {
/// One operand, as the thread reads it from its buffer.
class OperandReader {
public:
  OperandReader(OpBuilder &builder, DotOp dot, unsigned operand, Value address,
                const ThreadLowering &threadLowering)
      : base(address), buffer(cast<MemDescType>(dot->getOperand(operand).getType())),
        isUnsigned(dot.getIsUnsigned()), lowering(threadLowering) {
    ArrayRef<int64_t> shape = buffer.getShape();
    depth = shape[operand == 0 ? shape.size() - 1 : shape.size() - 2];
    bytes = std::max(8u, tile::bitWidthOf(buffer.getElementType())) / 8;
    const LinearLayout &product = layoutOf(cast<RankedTensorType>(dot.getType()));
    LinearLayout reads = dotOperandLayout(product, operand, depth, &lineOfRegister);
    access = analyseSharedAccess(reads, buffer.getLayout().getLayout(), bytes * 8);
    thread = threadPart(builder, dot, lowering.position, access.offsets, bytes);
    numLines = reads.getInDimSize(kRegister) / depth;
  }

  /// Elements along K that one vector access spans: pieces are at least as long.
  int64_t minPiece() const {
    int64_t piece = 1;
    for (unsigned bit : access.vectorRegisterBits)
      if (int64_t(1) << bit < depth)
        piece = std::max(piece, int64_t(2) << bit);
    return piece;
  }

  /// Reads piece number `piece` of `length` elements of every line.
  void read(OpBuilder &builder, Location loc, Value piece, int64_t length) {
    LinearIndex index = thread;
    SmallVector<uint64_t> bases;
    for (int64_t k = length; k < depth; k *= 2)
      bases.push_back(registerPart(access.offsets, k));
    addLinear(builder, loc, piece, bases, bytes, index);
    elements.assign(numLines * length, Value());
    Type scalar = lowering.types.convertScalar(buffer.getElementType());
    for (const auto &group : groupRegisters(numLines * depth, access.vectorRegisterBits)) {
      if (group.front() % depth >= length)
        continue;
      Value offset = index.at(builder, loc, registerPart(access.offsets, group.front()) * bytes);
      Value address = LLVM::GEPOp::create(builder, loc, base.getType(), builder.getI8Type(), base,
                                          ArrayRef<LLVM::GEPArg>{offset});
      Type word = accessWordType(builder.getContext(), bytes * group.size());
      Value loaded = LdSharedOp::create(builder, loc, word, address);
      for (auto [reg, value] :
           llvm::zip(group, unpackWord(builder, loc, loaded, scalar, group.size())))
        elements[reg / depth * length + reg % depth] =
            widen(builder, loc, value, buffer.getElementType(), isUnsigned);
    }
  }

  /// Element `k` of the piece for the product's register `reg`.
  Value get(int64_t reg, int64_t k, int64_t length) const {
    return elements[lineOfRegister[reg] * length + k];
  }

  int64_t getDepth() const { return depth; }
  int64_t getNumLines() const { return numLines; }

private:
  Value base;
  MemDescType buffer;
  bool isUnsigned;
  const ThreadLowering &lowering;
  int64_t depth = 1, numLines = 1;
  unsigned bytes = 1;
  /// The row or column that each register of the product needs.
  std::vector<int32_t> lineOfRegister;
  SharedAccess access;
  LinearIndex thread;
  SmallVector<Value> elements;
};

struct Dot : ThreadPattern<DotOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(DotOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!isa<MemDescType>(op.getLhs().getType()) || !isa<MemDescType>(op.getRhs().getType()))
      return op.emitError("expected operands in shared memory: run tilegpu-decompose-dots first");
    Location loc = op.getLoc();
    OperandReader lhs(rewriter, op, 0, adaptor.getLhs().front(), lowering);
    OperandReader rhs(rewriter, op, 1, adaptor.getRhs().front(), lowering);
    int64_t lines = lhs.getNumLines() + rhs.getNumLines(), depth = lhs.getDepth();
    int64_t length = llvm::bit_floor(uint64_t(std::max<int64_t>(1, kPieceElements / lines)));
    length = std::min(depth, std::max({length, lhs.minPiece(), rhs.minPiece()}));

    auto addPiece = [&](OpBuilder &builder, Value piece, SmallVectorImpl<Value> &sums) {
      lhs.read(builder, loc, piece, length);
      rhs.read(builder, loc, piece, length);
      for (int64_t k = 0; k < length; ++k)
        for (auto [reg, sum] : llvm::enumerate(sums))
          sum = multiplyAdd(builder, loc, lhs.get(reg, k, length), rhs.get(reg, k, length), sum);
    };

    Type element = cast<RankedTensorType>(op.getType()).getElementType();
    SmallVector<Value> sums;
    for (Value value : adaptor.getAcc())
      sums.push_back(widen(rewriter, loc, value, element, false));
    int64_t pieces = depth / length;
    if (int64_t(sums.size()) * depth <= kUnrolledProducts || pieces == 1) {
      for (int64_t i = 0; i < pieces; ++i)
        addPiece(rewriter, constantI32(rewriter, loc, i), sums);
    } else {
      Value zero = constantI32(rewriter, loc, 0), one = constantI32(rewriter, loc, 1);
      auto loop =
          scf::ForOp::create(rewriter, loc, zero, constantI32(rewriter, loc, pieces), one, sums,
                             [&](OpBuilder &builder, Location, Value piece, ValueRange carried) {
                               SmallVector<Value> inner(carried);
                               addPiece(builder, piece, inner);
                               scf::YieldOp::create(builder, loc, inner);
                             });
      sums = llvm::to_vector_of<Value>(loop.getResults());
    }
    for (Value &sum : sums)
      if (sum.getType() != element)
        sum = arith::TruncFOp::create(rewriter, loc, element, sum);
    rewriter.replaceOpWithMultiple(op, {sums});
    return success();
  }
};
} // namespace

void tilec::populateDotPatterns(RewritePatternSet &patterns, const ThreadLowering &lowering) {
  patterns.add<Dot>(lowering, patterns.getContext());
}
