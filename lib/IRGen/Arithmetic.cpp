// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic, comparison and logic of program values: operands are brought to one type and shape
// and one operation is emitted.

#include "Emitter.h"

namespace tilec::irgen {

namespace arith = mlir::arith;
using ast::BinaryOp;
using ast::CompareOp;

static bool isPointer(const Value &value) {
  return value.isRuntime() && value.getRuntime()->type.element.isPointer();
}

/// Reports operands and operators that no operation of the program has.
static LogicalResult checkOperands(Evaluation &state, BinaryOp op, const Value &lhs,
                                   const Value &rhs, SourceRange range) {
  for (const Value *operand : {&lhs, &rhs})
    if (operand->getIf<ModuleValue>())
      return state.errorNoOperand(*operand, range);
  if (!lhs.isOperand() || !rhs.isOperand())
    return state.error(range, "operator '" + ast::getSpelling(op) + "' is not defined for " +
                                  lhs.describe() + " and " + rhs.describe());
  if (op == BinaryOp::MatMul)
    return state.error(range, "operator '@' is not supported; use tl.dot");
  if (op == BinaryOp::Pow)
    return state.error(range, "operator '**' needs operands that are known at compile time; use "
                              "libdevice.pow for runtime values");
  return success();
}

static bool needsIntegers(BinaryOp op) {
  return op == BinaryOp::FloorDiv || op == BinaryOp::LShift || op == BinaryOp::RShift ||
         op == BinaryOp::BitAnd || op == BinaryOp::BitOr || op == BinaryOp::BitXor;
}

FailureOr<Value> Emitter::emitBinary(BinaryOp op, const Value &lhs, const Value &rhs,
                                     SourceRange range, bool isChecked) {
  if (mlir::failed(checkOperands(state, op, lhs, rhs, range)))
    return failure();
  if (isPointer(lhs) || isPointer(rhs))
    return pointerArithmetic(op, lhs, rhs, range);

  bool division = op == BinaryOp::Div || op == BinaryOp::FloorDiv || op == BinaryOp::Mod;
  Value operands[] = {lhs, rhs};
  if (mlir::failed(unifyElements(operands[0], operands[1], /*relaxed=*/true, division, range)))
    return failure();
  DType type = operands[0].getRuntime()->type.element;
  if (needsIntegers(op) && !type.isInt())
    return state.error(range, "operator '" + ast::getSpelling(op) + "' needs integers, got " +
                                  lhs.describe() + " and " + rhs.describe() +
                                  (op == BinaryOp::FloorDiv ? "; use tl.floor(a / b) for floats"
                                                            : "; cast with .to(tl.int32)"));
  // `/` on integers, and all arithmetic of 8-bit floats, is computed in fp32.
  bool quotient = op == BinaryOp::Div && type.isInt();
  if (quotient || type.isFP8())
    for (Value &operand : operands)
      operand = *cast(operand, ScalarKind::FP32, range);
  if (mlir::failed(unifyShapes(operands, range)))
    return failure();
  // What comes in on the left says whether its sign is kept, whatever the type they meet in.
  if (op == BinaryOp::RShift && lhs.isRuntime() && lhs.getRuntime()->type.element.isSignedInt())
    return emit<arith::ShRSIOp>(operands[0].getRuntime()->type, operands[0].getRuntime()->value,
                                operands[1].getRuntime()->value);
  FailureOr<Value> result = emitArithmetic(op, operands[0], operands[1], range);
  if (mlir::succeeded(result) && type.isFP8())
    return cast(*result, type, range);
  if (mlir::succeeded(result) && isChecked)
    checkOverflow(op, operands[0], operands[1], *result);
  return result;
}

FailureOr<Value> Emitter::emitArithmetic(BinaryOp op, Value lhs, Value rhs, SourceRange range) {
  Type type = lhs.getRuntime()->type;
  mlir::Value a = lhs.getRuntime()->value, b = rhs.getRuntime()->value;
  bool isFloat = type.element.isFloat(), isSigned = type.element.isSignedInt();
  switch (op) {
  case BinaryOp::Add:
    return isFloat ? emit<arith::AddFOp>(type, a, b) : emit<arith::AddIOp>(type, a, b);
  case BinaryOp::Sub:
    return isFloat ? emit<arith::SubFOp>(type, a, b) : emit<arith::SubIOp>(type, a, b);
  case BinaryOp::Mul:
    return isFloat ? emit<arith::MulFOp>(type, a, b) : emit<arith::MulIOp>(type, a, b);
  case BinaryOp::Div:
    return emit<arith::DivFOp>(type, a, b);
  case BinaryOp::FloorDiv:
    return isSigned ? emit<arith::DivSIOp>(type, a, b) : emit<arith::DivUIOp>(type, a, b);
  case BinaryOp::Mod:
    return isFloat    ? emit<arith::RemFOp>(type, a, b)
           : isSigned ? emit<arith::RemSIOp>(type, a, b)
                      : emit<arith::RemUIOp>(type, a, b);
  case BinaryOp::LShift:
    return emit<arith::ShLIOp>(type, a, b);
  case BinaryOp::RShift:
    return isSigned ? emit<arith::ShRSIOp>(type, a, b) : emit<arith::ShRUIOp>(type, a, b);
  case BinaryOp::BitAnd:
    return emit<arith::AndIOp>(type, a, b);
  case BinaryOp::BitOr:
    return emit<arith::OrIOp>(type, a, b);
  case BinaryOp::BitXor:
    return emit<arith::XOrIOp>(type, a, b);
  case BinaryOp::Pow:
  case BinaryOp::MatMul:
    break;
  }
  return state.error(range, "operator '" + ast::getSpelling(op) + "' is not supported here");
}

FailureOr<Value> Emitter::pointerArithmetic(BinaryOp op, const Value &lhs, const Value &rhs,
                                            SourceRange range) {
  bool pointerFirst = lhs.isRuntime() && lhs.getRuntime()->type.element.isPointer();
  const Value &pointer = pointerFirst ? lhs : rhs;
  FailureOr<Value> offset = toRuntime(pointerFirst ? rhs : lhs, range);
  if (mlir::failed(offset))
    return failure();
  DType offsetType = offset->getRuntime()->type.element;
  bool allowed = op == BinaryOp::Add || (op == BinaryOp::Sub && pointerFirst);
  if (!allowed || !offsetType.isInt())
    return state.error(
        range, "operator '" + ast::getSpelling(op) + "' is not defined for " + lhs.describe() +
                   " and " + rhs.describe() +
                   (allowed && offsetType.isFloat() ? "; cast the offset with .to(tl.int32)" : ""));
  // The offset of the emitted op is signed: unsigned ones are widened first.
  if (offsetType.isUnsignedInt())
    offset =
        cast(*offset, offsetType.getBitWidth() < 32 ? ScalarKind::Int32 : ScalarKind::Int64, range);
  if (op == BinaryOp::Sub)
    offset = emitUnary(ast::UnaryOp::Minus, *offset, range);
  if (mlir::failed(offset))
    return failure();
  Value operands[] = {pointer, *offset};
  if (mlir::failed(unifyShapes(operands, range)))
    return failure();
  Type type = operands[0].getRuntime()->type;
  return emit<tile::AddPtrOp>(type, lower(type), operands[0].getRuntime()->value,
                              operands[1].getRuntime()->value);
}

FailureOr<Value> Emitter::emitUnary(ast::UnaryOp op, const Value &operand, SourceRange range) {
  const RuntimeValue *runtime = operand.getRuntime();
  bool valid = runtime && !runtime->type.element.isPointer() &&
               (op != ast::UnaryOp::Invert || runtime->type.element.isInt());
  if (!valid)
    return state.error(range, "unary '" + ast::getSpelling(op) + "' is not defined for " +
                                  operand.describe());
  Type type = runtime->type;
  if (op == ast::UnaryOp::Plus)
    return operand;
  if (op == ast::UnaryOp::Invert) {
    mlir::Type lowered = lower(Type(type.element));
    Value ones = emit<arith::ConstantOp>(
        Type(type.element),
        builder.getIntegerAttr(lowered, llvm::APInt::getAllOnes(type.element.getBitWidth())));
    return emit<arith::XOrIOp>(type, runtime->value, splat(ones, type.shape).getRuntime()->value);
  }
  if (type.element.isFP8()) {
    FailureOr<Value> negated = emitUnary(op, *cast(operand, ScalarKind::FP32, range), range);
    return mlir::failed(negated) ? negated : cast(*negated, type.element, range);
  }
  if (type.element.isFloat())
    return emit<arith::NegFOp>(type, runtime->value);
  Value zero = makeZero(type);
  Value negated = emit<arith::SubIOp>(type, zero.getRuntime()->value, runtime->value);
  checkOverflow(BinaryOp::Sub, zero, operand, negated);
  return negated;
}

static arith::CmpFPredicate getFloatPredicate(CompareOp op) {
  switch (op) {
  case CompareOp::Eq:
    return arith::CmpFPredicate::OEQ;
  case CompareOp::NotEq:
    return arith::CmpFPredicate::UNE;
  case CompareOp::Lt:
    return arith::CmpFPredicate::OLT;
  case CompareOp::LtE:
    return arith::CmpFPredicate::OLE;
  case CompareOp::Gt:
    return arith::CmpFPredicate::OGT;
  default:
    return arith::CmpFPredicate::OGE;
  }
}

static arith::CmpIPredicate getIntPredicate(CompareOp op, bool isSigned) {
  switch (op) {
  case CompareOp::Eq:
    return arith::CmpIPredicate::eq;
  case CompareOp::NotEq:
    return arith::CmpIPredicate::ne;
  case CompareOp::Lt:
    return isSigned ? arith::CmpIPredicate::slt : arith::CmpIPredicate::ult;
  case CompareOp::LtE:
    return isSigned ? arith::CmpIPredicate::sle : arith::CmpIPredicate::ule;
  case CompareOp::Gt:
    return isSigned ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::ugt;
  default:
    return isSigned ? arith::CmpIPredicate::sge : arith::CmpIPredicate::uge;
  }
}

Value Emitter::emitCompare(CompareOp op, const Value &lhs, const Value &rhs) {
  const RuntimeValue &left = *lhs.getRuntime(), &right = *rhs.getRuntime();
  DType element = left.type.element;
  Type type = left.type.withElement(ScalarKind::Int1);
  if (element.isFloat())
    return emit<arith::CmpFOp>(type, getFloatPredicate(op), left.value, right.value);
  return emit<arith::CmpIOp>(type, getIntPredicate(op, element.isSignedInt()), left.value,
                             right.value);
}

/// Addresses compare as unsigned integers.
static LogicalResult makeAddresses(Emitter &emitter, llvm::MutableArrayRef<Value> operands,
                                   SourceRange range) {
  for (Value &operand : operands) {
    FailureOr<Value> address = emitter.toRuntime(operand, range);
    if (mlir::succeeded(address))
      address = emitter.cast(*address, ScalarKind::Int64, range);
    if (mlir::succeeded(address))
      address = emitter.cast(*address, ScalarKind::UInt64, range);
    if (mlir::failed(address))
      return failure();
    operand = *address;
  }
  return success();
}

FailureOr<Value> Emitter::emitComparison(CompareOp op, const Value &lhs, const Value &rhs,
                                         SourceRange range) {
  Value operands[] = {lhs, rhs};
  if (llvm::any_of(operands, isPointer) && mlir::failed(makeAddresses(*this, operands, range)))
    return failure();
  if (mlir::failed(unifyElements(operands[0], operands[1], /*relaxed=*/false,
                                 /*isDivision=*/false, range)) ||
      mlir::failed(unifyShapes(operands, range)))
    return failure();
  if (operands[0].getRuntime()->type.element.isFP8())
    for (Value &operand : operands)
      operand = *cast(operand, ScalarKind::FP32, range);
  return emitCompare(op, operands[0], operands[1]);
}

FailureOr<Value> Emitter::logical(ast::BoolOpKind op, const Value &lhs, const Value &rhs,
                                  SourceRange range) {
  Value operands[] = {lhs, rhs};
  for (Value &operand : operands) {
    FailureOr<Value> truth = cast(operand, ScalarKind::Int1, range);
    if (mlir::failed(truth))
      return failure();
    operand = *truth;
  }
  if (mlir::failed(unifyShapes(operands, range)))
    return failure();
  Type type = operands[0].getRuntime()->type;
  mlir::Value a = operands[0].getRuntime()->value, b = operands[1].getRuntime()->value;
  return op == ast::BoolOpKind::And ? emit<arith::AndIOp>(type, a, b)
                                    : emit<arith::OrIOp>(type, a, b);
}

FailureOr<Value> Emitter::logicalNot(const Value &operand, SourceRange range) {
  if (!operand.isRuntime()) {
    FailureOr<bool> truth = state.toBool(operand, range, "the operand of 'not'");
    if (mlir::failed(truth))
      return failure();
    return Value::boolean(!*truth);
  }
  FailureOr<Value> truth = cast(operand, ScalarKind::Int1, range);
  if (mlir::failed(truth))
    return failure();
  return emitUnary(ast::UnaryOp::Invert, *truth, range);
}

} // namespace tilec::irgen
