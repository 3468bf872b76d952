// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic, comparison and unary operators: methods of objects, operators of collections, folded
// on compile-time operands, otherwise emitted.

#include "Collections.h"
#include "Generator.h"

namespace tilec::irgen {

using ast::BinaryOp;
using ast::CompareOp;

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

static FailureOr<Value> tupleArithmetic(Generator &g, BinaryOp op, const Value &lhs,
                                        const Value &rhs, SourceRange range) {
  const std::vector<Value> *left = lhs.getTuple(), *right = rhs.getTuple();
  if (op == BinaryOp::Add && left && right) {
    std::vector<Value> elements = *left;
    elements.insert(elements.end(), right->begin(), right->end());
    return g.makeTuple(std::move(elements), range);
  }
  if (op == BinaryOp::Mul && (left == nullptr) != (right == nullptr)) {
    FailureOr<int64_t> count = g.toInteger(left ? rhs : lhs, range, "the length of a tuple");
    if (mlir::failed(count))
      return failure();
    const std::vector<Value> &part = left ? *left : *right;
    int64_t limit = TupleValue::sizeLimit;
    if (*count > limit || static_cast<int64_t>(part.size()) * *count > limit)
      return g.error(range, "a tuple of more than " + llvm::Twine(limit) + " elements");
    std::vector<Value> elements;
    for (int64_t i = 0; i < *count; ++i)
      elements.insert(elements.end(), part.begin(), part.end());
    return g.makeTuple(std::move(elements), range);
  }
  return g.error(range, "operator '" + ast::getSpelling(op) + "' is not defined for " +
                            lhs.describe() + " and " + rhs.describe());
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
    return tupleArithmetic(*this, op, lhs, rhs, range);
  if (lhs.getConstant() && rhs.getConstant())
    return toValue(foldBinary(op, *lhs.getConstant(), *rhs.getConstant()), range);
  return emitBinary(op, lhs, rhs, range, isChecked);
}

FailureOr<Value> Generator::unary(ast::UnaryOp op, const Value &operand, SourceRange range) {
  if (operand.isPoison())
    return failure();
  if (op == ast::UnaryOp::Not)
    return logicalNot(operand, range);
  if (operand.isAggregate())
    if (std::optional<FailureOr<Value>> result = unaryOnObject(op, operand, range))
      return *result;
  if (const Constant *constant = operand.getConstant())
    return toValue(foldUnary(op, *constant), range);
  return emitUnary(op, operand, range);
}

/// Python's order: the first elements that differ decide, otherwise the lengths.
static FailureOr<Value> compareTuples(Generator &g, CompareOp op, llvm::ArrayRef<Value> lhs,
                                      llvm::ArrayRef<Value> rhs, SourceRange range) {
  g.charge(std::min(lhs.size(), rhs.size()));
  for (auto [left, right] : llvm::zip(lhs, rhs)) {
    FailureOr<Value> equal = g.compare(CompareOp::Eq, left, right, range);
    if (mlir::failed(equal))
      return failure();
    FailureOr<bool> same = g.toBool(*equal, range, "the comparison of tuples");
    if (mlir::failed(same))
      return failure();
    if (*same)
      continue;
    if (op == CompareOp::Eq || op == CompareOp::NotEq)
      return Value::boolean(op == CompareOp::NotEq);
    return g.compare(op, left, right, range);
  }
  return g.compare(op, Value::integer(static_cast<int64_t>(lhs.size())),
                   Value::integer(static_cast<int64_t>(rhs.size())), range);
}

/// Equal keys have equal values, in whatever order they came.
static FailureOr<Value> compareDicts(Generator &g, CompareOp op, const DictValue &lhs,
                                     const DictValue &rhs, SourceRange range) {
  g.charge(lhs.entries->size() + rhs.entries->size());
  llvm::StringMap<const Value *> right;
  for (const auto &[key, value] : *rhs.entries)
    right[key] = &value;
  bool areEqual = lhs.entries->size() == rhs.entries->size();
  for (const auto &[key, value] : *lhs.entries) {
    const Value *other = right.lookup(key);
    areEqual = areEqual && other;
    if (!areEqual)
      break;
    FailureOr<Value> equal = g.compare(CompareOp::Eq, value, *other, range);
    if (mlir::failed(equal))
      return failure();
    FailureOr<bool> truth = g.toBool(*equal, range, "the comparison of dicts");
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

/// Compile-time numbers, strings and types.
static FailureOr<Value> compareConstants(Generator &g, CompareOp op, const Constant &lhs,
                                         const Constant &rhs, SourceRange range) {
  if (lhs.isString() && rhs.isString())
    g.chargeSearch(lhs.getString().size(), rhs.getString().size());
  return g.toValue(foldCompare(op, lhs, rhs), range);
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
    return compareDicts(*this, op, *leftDict, *rightDict, range);
  if (lhs.getConstant() && rhs.getConstant())
    return compareConstants(*this, op, *lhs.getConstant(), *rhs.getConstant(), range);
  const std::vector<Value> *left = lhs.getTuple(), *right = rhs.getTuple();
  if (left && right)
    return compareTuples(*this, op, *left, *right, range);
  bool areOperands = lhs.isOperand() && rhs.isOperand();
  // Things of different nature (a tensor and None, two functions) are equal when identical.
  if (!areOperands && equality)
    return Value::boolean(isIdentical(lhs, rhs) == (op == CompareOp::Eq));
  if (!areOperands)
    return error(range, "comparison '" + ast::getSpelling(op) + "' is not defined for " +
                            lhs.describe() + " and " + rhs.describe());
  if (membership)
    return error(range, "'in' needs a compile-time tuple or string, got " + rhs.describe());
  return emitComparison(op, lhs, rhs, range);
}

} // namespace tilec::irgen
