// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic, comparison and unary operators: folded on compile-time operands, otherwise operands
// are brought to one type and shape and one operation is emitted.

#include "Collections.h"
#include "Generator.h"

namespace tilec::irgen {

namespace arith = mlir::arith;
using ast::BinaryOp;
using ast::CompareOp;

/// Numbers and program values are operands of arithmetic.
static bool isOperand(const Value &value) { return value.isRuntime() || value.isNumber(); }

static bool isPointer(const Value &value) {
  return value.isRuntime() && value.getRuntime()->type.element.isPointer();
}

/// The union and the like of sets, and of dicts; nothing for other operands.
static std::optional<FailureOr<Value>> combineCollections(Generator &g, BinaryOp op,
                                                          const Value &lhs, const Value &rhs,
                                                          SourceRange range) {
  const SetValue *leftSet = lhs.getIf<SetValue>(), *rightSet = rhs.getIf<SetValue>();
  if (leftSet && rightSet)
    if (std::optional<Value> combined = combineSets(g, op, *leftSet, *rightSet))
      return FailureOr<Value>(*combined);
  const DictValue *leftDict = lhs.getIf<DictValue>(), *rightDict = rhs.getIf<DictValue>();
  if (!leftDict || !rightDict || op != BinaryOp::BitOr)
    return std::nullopt;
  EntryTable both(g, /*makesSet=*/false);
  if (mlir::failed(both.addAll(*leftDict, range)) || mlir::failed(both.addAll(*rightDict, range)))
    return FailureOr<Value>(failure());
  return FailureOr<Value>(both.take());
}

/// Reports operands and operators that no operation of the program has.
static LogicalResult checkOperands(Generator &g, BinaryOp op, const Value &lhs, const Value &rhs,
                                   SourceRange range) {
  for (const Value *operand : {&lhs, &rhs})
    if (operand->getIf<ModuleValue>())
      return g.errorNoOperand(*operand, range);
  if (!isOperand(lhs) || !isOperand(rhs))
    return g.error(range, "operator '" + ast::getSpelling(op) + "' is not defined for " +
                              lhs.describe() + " and " + rhs.describe());
  if (op == BinaryOp::MatMul)
    return g.error(range, "operator '@' is not supported; use tl.dot");
  if (op == BinaryOp::Pow)
    return g.error(range, "operator '**' needs operands that are known at compile time; use "
                          "libdevice.pow for runtime values");
  return success();
}

static bool needsIntegers(BinaryOp op) {
  return op == BinaryOp::FloorDiv || op == BinaryOp::LShift || op == BinaryOp::RShift ||
         op == BinaryOp::BitAnd || op == BinaryOp::BitOr || op == BinaryOp::BitXor;
}

FailureOr<Value> Generator::binary(BinaryOp op, const Value &lhs, const Value &rhs,
                                   SourceRange range, bool isChecked) {
  if (lhs.isPoison() || rhs.isPoison())
    return failure();
  if (lhs.isAggregate() || rhs.isAggregate())
    return binaryOnObjects(op, lhs, rhs, range);
  if (std::optional<FailureOr<Value>> combined = combineCollections(*this, op, lhs, rhs, range))
    return *combined;
  if (lhs.getTuple() || rhs.getTuple())
    return tupleArithmetic(op, lhs, rhs, range);
  if (lhs.getConstant() && rhs.getConstant()) {
    FoldResult folded = foldBinary(op, *lhs.getConstant(), *rhs.getConstant());
    if (!folded.value)
      return error(range, folded.error);
    return Value(*folded.value);
  }
  if (mlir::failed(checkOperands(*this, op, lhs, rhs, range)))
    return failure();
  if (isPointer(lhs) || isPointer(rhs))
    return pointerArithmetic(op, lhs, rhs, range);

  bool division = op == BinaryOp::Div || op == BinaryOp::FloorDiv || op == BinaryOp::Mod;
  Value operands[] = {lhs, rhs};
  if (mlir::failed(unifyElements(operands[0], operands[1], /*relaxed=*/true, division, range)))
    return failure();
  DType type = operands[0].getRuntime()->type.element;
  if (needsIntegers(op) && !type.isInt())
    return error(range, "operator '" + ast::getSpelling(op) + "' needs integers, got " +
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

FailureOr<Value> Generator::emitArithmetic(BinaryOp op, Value lhs, Value rhs, SourceRange range) {
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
  return error(range, "operator '" + ast::getSpelling(op) + "' is not supported here");
}

FailureOr<Value> Generator::pointerArithmetic(BinaryOp op, const Value &lhs, const Value &rhs,
                                              SourceRange range) {
  bool pointerFirst = lhs.isRuntime() && lhs.getRuntime()->type.element.isPointer();
  const Value &pointer = pointerFirst ? lhs : rhs;
  FailureOr<Value> offset = toRuntime(pointerFirst ? rhs : lhs, range);
  if (mlir::failed(offset))
    return failure();
  DType offsetType = offset->getRuntime()->type.element;
  bool allowed = op == BinaryOp::Add || (op == BinaryOp::Sub && pointerFirst);
  if (!allowed || !offsetType.isInt())
    return error(
        range, "operator '" + ast::getSpelling(op) + "' is not defined for " + lhs.describe() +
                   " and " + rhs.describe() +
                   (allowed && offsetType.isFloat() ? "; cast the offset with .to(tl.int32)" : ""));
  // The offset of the emitted op is signed: unsigned ones are widened first.
  if (offsetType.isUnsignedInt())
    offset =
        cast(*offset, offsetType.getBitWidth() < 32 ? ScalarKind::Int32 : ScalarKind::Int64, range);
  if (op == BinaryOp::Sub)
    offset = unary(ast::UnaryOp::Minus, *offset, range);
  if (mlir::failed(offset))
    return failure();
  Value operands[] = {pointer, *offset};
  if (mlir::failed(unifyShapes(operands, range)))
    return failure();
  Type type = operands[0].getRuntime()->type;
  return emit<tile::AddPtrOp>(type, lower(type), operands[0].getRuntime()->value,
                              operands[1].getRuntime()->value);
}

FailureOr<Value> Generator::tupleArithmetic(BinaryOp op, const Value &lhs, const Value &rhs,
                                            SourceRange range) {
  const std::vector<Value> *left = lhs.getTuple(), *right = rhs.getTuple();
  if (op == BinaryOp::Add && left && right) {
    std::vector<Value> elements = *left;
    elements.insert(elements.end(), right->begin(), right->end());
    return makeTuple(std::move(elements), range);
  }
  if (op == BinaryOp::Mul && (left == nullptr) != (right == nullptr)) {
    FailureOr<int64_t> count = toInteger(left ? rhs : lhs, range, "the length of a tuple");
    if (mlir::failed(count))
      return failure();
    const std::vector<Value> &part = left ? *left : *right;
    int64_t limit = TupleValue::sizeLimit;
    if (*count > limit || static_cast<int64_t>(part.size()) * *count > limit)
      return error(range, "a tuple of more than " + llvm::Twine(limit) + " elements");
    std::vector<Value> elements;
    for (int64_t i = 0; i < *count; ++i)
      elements.insert(elements.end(), part.begin(), part.end());
    return makeTuple(std::move(elements), range);
  }
  return error(range, "operator '" + ast::getSpelling(op) + "' is not defined for " +
                          lhs.describe() + " and " + rhs.describe());
}

FailureOr<Value> Generator::unary(ast::UnaryOp op, const Value &operand, SourceRange range) {
  if (operand.isPoison())
    return failure();
  if (op == ast::UnaryOp::Not)
    return logicalNot(operand, range);
  if (operand.isAggregate())
    if (std::optional<FailureOr<Value>> result = unaryOnObject(op, operand, range))
      return *result;
  if (const Constant *constant = operand.getConstant()) {
    FoldResult folded = foldUnary(op, *constant);
    if (!folded.value)
      return error(range, folded.error);
    return Value(*folded.value);
  }
  const RuntimeValue *runtime = operand.getRuntime();
  bool valid = runtime && !runtime->type.element.isPointer() &&
               (op != ast::UnaryOp::Invert || runtime->type.element.isInt());
  if (!valid)
    return error(range,
                 "unary '" + ast::getSpelling(op) + "' is not defined for " + operand.describe());
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
    FailureOr<Value> negated = unary(op, *cast(operand, ScalarKind::FP32, range), range);
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

Value Generator::emitCompare(CompareOp op, const Value &lhs, const Value &rhs) {
  const RuntimeValue &left = *lhs.getRuntime(), &right = *rhs.getRuntime();
  DType element = left.type.element;
  Type type = left.type.withElement(ScalarKind::Int1);
  if (element.isFloat())
    return emit<arith::CmpFOp>(type, getFloatPredicate(op), left.value, right.value);
  return emit<arith::CmpIOp>(type, getIntPredicate(op, element.isSignedInt()), left.value,
                             right.value);
}

/// Python's order: the first elements that differ decide, otherwise the lengths.
FailureOr<Value> Generator::compareTuples(CompareOp op, llvm::ArrayRef<Value> lhs,
                                          llvm::ArrayRef<Value> rhs, SourceRange range) {
  charge(std::min(lhs.size(), rhs.size()));
  for (auto [left, right] : llvm::zip(lhs, rhs)) {
    FailureOr<Value> equal = compare(CompareOp::Eq, left, right, range);
    if (mlir::failed(equal))
      return failure();
    FailureOr<bool> same = toBool(*equal, range, "the comparison of tuples");
    if (mlir::failed(same))
      return failure();
    if (*same)
      continue;
    if (op == CompareOp::Eq || op == CompareOp::NotEq)
      return Value::boolean(op == CompareOp::NotEq);
    return compare(op, left, right, range);
  }
  return compare(op, Value::integer(static_cast<int64_t>(lhs.size())),
                 Value::integer(static_cast<int64_t>(rhs.size())), range);
}

/// Equal keys have equal values, in whatever order they came.
FailureOr<Value> Generator::compareDicts(CompareOp op, const DictValue &lhs, const DictValue &rhs,
                                         SourceRange range) {
  charge(lhs.entries->size() + rhs.entries->size());
  llvm::StringMap<const Value *> right;
  for (const auto &[key, value] : *rhs.entries)
    right[key] = &value;
  bool areEqual = lhs.entries->size() == rhs.entries->size();
  for (const auto &[key, value] : *lhs.entries) {
    const Value *other = right.lookup(key);
    areEqual = areEqual && other;
    if (!areEqual)
      break;
    FailureOr<Value> equal = compare(CompareOp::Eq, value, *other, range);
    if (mlir::failed(equal))
      return failure();
    FailureOr<bool> truth = toBool(*equal, range, "the comparison of dicts");
    if (mlir::failed(truth))
      return failure();
    areEqual = *truth;
  }
  return Value::boolean(areEqual == (op == CompareOp::Eq));
}

/// Whether a type is that of a number in the program: nothing where `lhs` and `rhs` are others.
static std::optional<FailureOr<Value>> compareTypes(Generator &g, CompareOp op, const Value &lhs,
                                                    const Value &rhs, SourceRange range) {
  for (auto [type, other] : {std::pair(&lhs, &rhs), std::pair(&rhs, &lhs)})
    if (const Value *typed = getTypedConstant(*type);
        typed && typed->isNumber() && other->getConstant() && other->getConstant()->isDType()) {
      FailureOr<DType> known = g.getDefaultType(*typed->getConstant(), range);
      if (mlir::failed(known))
        return FailureOr<Value>(failure());
      bool isSame = *known == other->getConstant()->getDType();
      return FailureOr<Value>(Value::boolean(isSame == (op == CompareOp::Eq)));
    }
  return std::nullopt;
}

static FailureOr<bool> isInTuple(Generator &g, llvm::ArrayRef<Value> elements,
                                 const Value &searched, SourceRange range) {
  g.charge(elements.size());
  for (const Value &element : elements) {
    FailureOr<Value> equal = g.compare(CompareOp::Eq, searched, element, range);
    if (mlir::failed(equal))
      return failure();
    FailureOr<bool> found = g.toBool(*equal, range, "the result of 'in'");
    if (mlir::failed(found) || *found)
      return found;
  }
  return false;
}

/// `lhs in rhs`; nothing where `rhs` is no collection.
static std::optional<FailureOr<bool>> isMember(Generator &g, const Value &lhs, const Value &rhs,
                                               SourceRange range) {
  if (const std::vector<Value> *elements = rhs.getTuple())
    return isInTuple(g, *elements, lhs, range);
  if (const SetValue *set = rhs.getIf<SetValue>())
    return g.isInSet(*set, lhs, range);
  const DictValue *dict = rhs.getIf<DictValue>();
  if (!dict)
    return std::nullopt;
  FailureOr<const Value *> found = g.findInDict(*dict, lhs, range);
  if (mlir::failed(found))
    return FailureOr<bool>(failure());
  return FailureOr<bool>(*found != nullptr);
}

/// Addresses compare as unsigned integers.
static LogicalResult makeAddresses(Generator &g, llvm::MutableArrayRef<Value> operands,
                                   SourceRange range) {
  for (Value &operand : operands) {
    FailureOr<Value> address = g.toRuntime(operand, range);
    if (mlir::succeeded(address))
      address = g.cast(*address, ScalarKind::Int64, range);
    if (mlir::succeeded(address))
      address = g.cast(*address, ScalarKind::UInt64, range);
    if (mlir::failed(address))
      return failure();
    operand = *address;
  }
  return success();
}

static FailureOr<Value> compareAtRunTime(Generator &g, CompareOp op, const Value &lhs,
                                         const Value &rhs, SourceRange range) {
  Value operands[] = {lhs, rhs};
  if (llvm::any_of(operands, isPointer) && mlir::failed(makeAddresses(g, operands, range)))
    return failure();
  if (mlir::failed(g.unifyElements(operands[0], operands[1], /*relaxed=*/false,
                                   /*isDivision=*/false, range)) ||
      mlir::failed(g.unifyShapes(operands, range)))
    return failure();
  if (operands[0].getRuntime()->type.element.isFP8())
    for (Value &operand : operands)
      operand = *g.cast(operand, ScalarKind::FP32, range);
  return g.emitCompare(op, operands[0], operands[1]);
}

/// Compile-time numbers, strings and types.
static FailureOr<Value> compareConstants(Generator &g, CompareOp op, const Constant &lhs,
                                         const Constant &rhs, SourceRange range) {
  if (lhs.isString() && rhs.isString())
    g.chargeSearch(lhs.getString().size(), rhs.getString().size());
  FoldResult folded = foldCompare(op, lhs, rhs);
  if (!folded.value)
    return g.error(range, folded.error);
  return Value(*folded.value);
}

FailureOr<Value> Generator::compare(CompareOp op, const Value &lhs, const Value &rhs,
                                    SourceRange range) {
  if (lhs.isPoison() || rhs.isPoison())
    return failure();
  bool equality = op == CompareOp::Eq || op == CompareOp::NotEq;
  bool identity = op == CompareOp::Is || op == CompareOp::IsNot;
  bool membership = op == CompareOp::In || op == CompareOp::NotIn;
  if (equality || identity)
    if (std::optional<bool> same = compareClasses(lhs, rhs))
      return Value::boolean(*same == (op == CompareOp::Is || op == CompareOp::Eq));
  if (identity)
    return Value::boolean(isIdentical(lhs, rhs) == (op == CompareOp::Is));
  if (lhs.isAggregate() || rhs.isAggregate())
    if (std::optional<FailureOr<Value>> result = compareObjects(op, lhs, rhs, range))
      return *result;
  // The type of a number is also the one that it has in the program.
  if (equality)
    if (std::optional<FailureOr<Value>> result = compareTypes(*this, op, lhs, rhs, range))
      return *result;
  if (membership)
    if (std::optional<FailureOr<bool>> found = isMember(*this, lhs, rhs, range)) {
      if (mlir::failed(*found))
        return failure();
      return Value::boolean(**found == (op == CompareOp::In));
    }
  const SetValue *leftSet = lhs.getIf<SetValue>(), *rightSet = rhs.getIf<SetValue>();
  if (leftSet && rightSet)
    if (std::optional<bool> truth = compareSets(*this, op, *leftSet, *rightSet))
      return Value::boolean(*truth);
  const DictValue *leftDict = lhs.getIf<DictValue>(), *rightDict = rhs.getIf<DictValue>();
  if (leftDict && rightDict && equality)
    return compareDicts(op, *leftDict, *rightDict, range);
  if (lhs.getConstant() && rhs.getConstant())
    return compareConstants(*this, op, *lhs.getConstant(), *rhs.getConstant(), range);
  const std::vector<Value> *left = lhs.getTuple(), *right = rhs.getTuple();
  if (left && right)
    return compareTuples(op, *left, *right, range);
  bool areOperands = isOperand(lhs) && isOperand(rhs);
  // Things of different nature (a tensor and None, two functions) are equal when identical.
  if (!areOperands && equality)
    return Value::boolean(isIdentical(lhs, rhs) == (op == CompareOp::Eq));
  if (!areOperands)
    return error(range, "comparison '" + ast::getSpelling(op) + "' is not defined for " +
                            lhs.describe() + " and " + rhs.describe());
  if (membership)
    return error(range, "'in' needs a compile-time tuple or string, got " + rhs.describe());
  return compareAtRunTime(*this, op, lhs, rhs, range);
}

} // namespace tilec::irgen
