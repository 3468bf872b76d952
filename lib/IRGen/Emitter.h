// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes operations of values.
//
//   Emitter.cpp         types, numbers that become runtime values
//   Promotion.cpp       the type that an operation computes in
//   Casts.cpp           conversions, constants
//   Shapes.cpp          broadcasting and other changes of shape
//   Arithmetic.cpp      arithmetic, comparison and logic at run time
//   OverflowChecks.cpp  integers that overflow, in debug builds
//   Regions.cpp         branches and loops of finished blocks

#ifndef TILEC_LIB_IRGEN_EMITTER_H
#define TILEC_LIB_IRGEN_EMITTER_H

#include "Evaluation.h"
#include "LoopHints.h"

#include "dialects/Tile/TileOps.h"

#include "mlir/IR/Builders.h"

namespace tilec::irgen {

/// A block under construction that becomes the body of a region once the op around it can be made.
/// Thrown away with its operations when that never happens.
class DetachedBlock {
public:
  DetachedBlock() : block(new mlir::Block) {}
  ~DetachedBlock() {
    if (!block)
      return;
    block->dropAllReferences();
    block->dropAllDefinedValueUses();
    delete block;
  }
  DetachedBlock(const DetachedBlock &) = delete;
  DetachedBlock &operator=(const DetachedBlock &) = delete;

  mlir::Block *get() { return block; }
  /// Hands the block over to a region.
  void moveTo(mlir::Region &region) {
    region.push_back(block);
    block = nullptr;
  }

private:
  mlir::Block *block;
};

/// Owns the builder: what takes values of the program and numbers, brings them to a type and a
/// shape, and makes operations of them. It knows no names, activations or statements; of the
/// evaluation it needs locations, budgets and a place for errors.
class Emitter {
public:
  explicit Emitter(Evaluation &evaluation) : state(evaluation), builder(&evaluation.getContext()) {}

  mlir::OpBuilder &getBuilder() { return builder; }
  LoopHints &getLoopHints() { return loopHints; }
  template <typename OpT, typename... Args> OpT create(Args &&...args) {
    OpT op = OpT::create(builder, state.getLocation(), std::forward<Args>(args)...);
    state.countOp(op->getNumResults());
    return op;
  }
  /// The MLIR type of a language type.
  mlir::Type lower(const Type &type);
  /// An op with one result, wrapped with its language type.
  template <typename OpT, typename... Args> Value emit(const Type &type, Args &&...args) {
    return Value::runtime(create<OpT>(std::forward<Args>(args)...)->getResult(0), type);
  }

  // Constants and conversions ---------------------------------------------------------------------

  /// A runtime value for a number, or the value itself; `None`, strings and the like are errors.
  FailureOr<Value> toRuntime(const Value &value, SourceRange range);
  /// The value that a plain assignment stores: numbers become runtime scalars.
  FailureOr<Value> decay(const Value &value, SourceRange range);
  /// A scalar constant of a type; errors when the number does not fit.
  FailureOr<Value> makeConstant(const Constant &number, DType type, SourceRange range);
  /// A constant scalar or block with every element zero.
  Value makeZero(const Type &type);
  /// Converts numbers and runtime values to an element type.
  FailureOr<Value> cast(const Value &value, DType type, SourceRange range,
                        tile::RoundingMode rounding = tile::RoundingMode::rtne);
  FailureOr<Value> bitcast(const Value &value, DType type, SourceRange range);

  // Types -----------------------------------------------------------------------------------------

  /// Integer promotion alone (rule 7).
  static DType promoteInts(DType lhs, DType rhs);
  /// Turns two operands into runtime values of one element type; numbers take the other operand's
  /// type where rule 0 says so and `relaxed` is set.
  LogicalResult unifyElements(Value &lhs, Value &rhs, bool relaxed, bool isDivision,
                              SourceRange range);

  // Shapes ----------------------------------------------------------------------------------------

  /// Block dimensions: powers of two, at most 2^20 elements.
  LogicalResult checkShape(llvm::ArrayRef<int64_t> shape, SourceRange range);
  /// Broadcasts runtime values against each other.
  LogicalResult unifyShapes(llvm::MutableArrayRef<Value> values, SourceRange range);
  /// Whether blocks of `dims` can be broadcast to a shape.
  static bool canBroadcast(llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> shape);
  /// Broadcasts a runtime value to a shape.
  FailureOr<Value> broadcastTo(const Value &value, llvm::ArrayRef<int64_t> shape,
                               SourceRange range);
  /// A block filled with a scalar.
  Value splat(const Value &scalar, llvm::ArrayRef<int64_t> shape);
  Value expandDims(const Value &value, int64_t axis);
  FailureOr<Value> reshape(const Value &value, llvm::ArrayRef<int64_t> shape, bool allowReorder,
                           SourceRange range);
  Value permute(const Value &value, llvm::ArrayRef<int32_t> order);
  /// An axis of a value of that rank, from 0.
  FailureOr<int64_t> toAxis(const Value &value, int64_t rank, SourceRange range);
  FailureOr<int64_t> normalizeAxis(int64_t axis, int64_t rank, SourceRange range);

  // Arithmetic ------------------------------------------------------------------------------------

  /// Arithmetic of program values, one of which may be a number, or pointers. With `isChecked` a
  /// debug build checks the result, which is for the program's own operations: there is nothing to
  /// check about addresses that the compiler makes.
  FailureOr<Value> emitBinary(ast::BinaryOp op, const Value &lhs, const Value &rhs,
                              SourceRange range, bool isChecked = false);
  /// `-`, `+` and `~` of a program value.
  FailureOr<Value> emitUnary(ast::UnaryOp op, const Value &operand, SourceRange range);
  /// Comparison of program values, numbers and pointers, brought to one type and shape.
  FailureOr<Value> emitComparison(ast::CompareOp op, const Value &lhs, const Value &rhs,
                                  SourceRange range);
  /// Comparison of two runtime values of the same type.
  Value emitCompare(ast::CompareOp op, const Value &lhs, const Value &rhs);
  /// Elementwise logical operations through int1.
  FailureOr<Value> logical(ast::BoolOpKind op, const Value &lhs, const Value &rhs,
                           SourceRange range);
  FailureOr<Value> logicalNot(const Value &operand, SourceRange range);

  /// The assertion that the integer `result` of an operation in a debug build is what it is in 64
  /// bits, `exact`.
  void assertExact(ast::BinaryOp op, const Value &result, const Value &exact);
  /// For a reduction or scan of a debug build whose region adds integers of less than 64 bits: what
  /// it adds, as int64, for a second one that cannot overflow. Nothing where there is none to
  /// check.
  std::optional<Value> widenAddends(mlir::Region &combine, llvm::ArrayRef<Value> operands);
  /// The region of that second one.
  void emitWideSum(mlir::Region &combine);

  // Branches and loops ----------------------------------------------------------------------------

  /// Brings the values of two branches to one type: numbers become runtime values at the end of
  /// their block where the other side is one. `what` names them in the error.
  LogicalResult unifyResults(Value &lhs, mlir::Block *lhsBlock, Value &rhs, mlir::Block *rhsBlock,
                             const llvm::Twine &what, SourceRange range);
  /// Makes an `scf.if` of two emitted blocks that end in values of the same type, and returns its
  /// results in their structure.
  Value finishIf(mlir::Value condition, DetachedBlock &thenBlock, DetachedBlock &elseBlock,
                 const Value &thenValue, const Value &elseValue);
  /// The loop of two blocks: `test` ends with the condition and what it hands to `body`, which ends
  /// with what the next iteration begins with.
  mlir::scf::WhileOp finishWhile(mlir::ValueRange inits, DetachedBlock &test, mlir::Value condition,
                                 mlir::ValueRange forwarded, DetachedBlock &body,
                                 mlir::ValueRange leaves);
  /// Whether the next function can make one: not of tensor descriptors and bound methods.
  static bool hasPlaceholder(const Value &value);
  /// A value of the same structure in which program values are arbitrary ones.
  FailureOr<Value> makePlaceholder(const Value &value, SourceRange range);

private:
  // Promotion.cpp, Casts.cpp
  /// The type that arithmetic computes in (rules 1 to 7), or nothing after an error.
  FailureOr<DType> promote(DType lhs, DType rhs, bool isDivision, SourceRange range);
  FailureOr<Value> castNumber(const Value &value, DType type, SourceRange range,
                              tile::RoundingMode rounding);
  FailureOr<Value> castLegacyFloat8(const Value &value, DType type, SourceRange range);
  FailureOr<Value> castPointer(const Value &value, DType type, SourceRange range);

  // Arithmetic.cpp
  /// Of two runtime values of the same type.
  FailureOr<Value> emitArithmetic(ast::BinaryOp op, Value lhs, Value rhs, SourceRange range);
  FailureOr<Value> pointerArithmetic(ast::BinaryOp op, const Value &lhs, const Value &rhs,
                                     SourceRange range);

  // OverflowChecks.cpp
  /// Whether a debug build checks operations on integers of this type.
  bool canOverflow(DType element) const;
  Value widen(const Value &value);
  /// In a debug build, has the kernel stop where the integer `result` of an operation is not what
  /// it is in 64 bits. Not in the language's library and in combine functions.
  void checkOverflow(ast::BinaryOp op, const Value &lhs, const Value &rhs, const Value &result);

  Evaluation &state;

protected:
  mlir::OpBuilder builder;
  LoopHints loopHints;
};

} // namespace tilec::irgen

#endif // TILEC_LIB_IRGEN_EMITTER_H
