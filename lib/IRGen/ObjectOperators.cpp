// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators on objects of aggregates: methods of their classes, by Python's names. The left side is
// asked first; where its class has no such method, or it is no object, the right side is asked for
// the reflected one.

#include "Generator.h"

namespace tilec::irgen {

/// "add" of "__add__" and "__radd__".
static llvm::StringRef getMethodName(ast::BinaryOp op) {
  using ast::BinaryOp;
  switch (op) {
  case BinaryOp::Add:
    return "add";
  case BinaryOp::Sub:
    return "sub";
  case BinaryOp::Mul:
    return "mul";
  case BinaryOp::Div:
    return "truediv";
  case BinaryOp::FloorDiv:
    return "floordiv";
  case BinaryOp::Mod:
    return "mod";
  case BinaryOp::LShift:
    return "lshift";
  case BinaryOp::RShift:
    return "rshift";
  case BinaryOp::BitAnd:
    return "and";
  case BinaryOp::BitOr:
    return "or";
  case BinaryOp::BitXor:
    return "xor";
  case BinaryOp::Pow:
    return "pow";
  case BinaryOp::MatMul:
    return "matmul";
  }
  return "";
}

FailureOr<Value> Generator::binaryOnObjects(ast::BinaryOp op, const Value &lhs, const Value &rhs,
                                            SourceRange range) {
  std::string name = getMethodName(op).str();
  if (std::optional<FailureOr<Value>> result =
          callMethod(lhs, "__" + name + "__", CallArg{"", rhs, range}, range))
    return *result;
  if (std::optional<FailureOr<Value>> result =
          callMethod(rhs, "__r" + name + "__", CallArg{"", lhs, range}, range))
    return *result;
  return error(range, "operator '" + ast::getSpelling(op) + "' is not defined for " +
                          lhs.describe() + " and " + rhs.describe() + "; there is no method '__" +
                          (lhs.isAggregate() ? "" : "r") + name + "__'");
}

std::optional<FailureOr<Value>> Generator::unaryOnObject(ast::UnaryOp op, const Value &operand,
                                                         SourceRange range) {
  llvm::StringRef name = op == ast::UnaryOp::Minus  ? "__neg__"
                         : op == ast::UnaryOp::Plus ? "__pos__"
                                                    : "__invert__";
  return callMethod(operand, name, {}, range);
}

/// The methods of a comparison: of the left side, and of the right side with the sides exchanged.
static std::pair<llvm::StringRef, llvm::StringRef> getMethodNames(ast::CompareOp op) {
  using ast::CompareOp;
  switch (op) {
  case CompareOp::Eq:
    return {"__eq__", "__eq__"};
  case CompareOp::NotEq:
    return {"__ne__", "__ne__"};
  case CompareOp::Lt:
    return {"__lt__", "__gt__"};
  case CompareOp::LtE:
    return {"__le__", "__ge__"};
  case CompareOp::Gt:
    return {"__gt__", "__lt__"};
  case CompareOp::GtE:
    return {"__ge__", "__le__"};
  default:
    return {"", "__contains__"};
  }
}

std::optional<FailureOr<Value>> Generator::compareObjects(ast::CompareOp op, const Value &lhs,
                                                          const Value &rhs, SourceRange range) {
  auto [direct, reflected] = getMethodNames(op);
  std::optional<FailureOr<Value>> result = callMethod(lhs, direct, CallArg{"", rhs, range}, range);
  if (!result)
    result = callMethod(rhs, reflected, CallArg{"", lhs, range}, range);
  if (result && mlir::succeeded(*result) && op == ast::CompareOp::NotIn)
    return logicalNot(**result, range);
  // Without a method of its own, `!=` is what `==` is not.
  if (!result && op == ast::CompareOp::NotEq) {
    result = compareObjects(ast::CompareOp::Eq, lhs, rhs, range);
    if (result && mlir::succeeded(*result))
      return logicalNot(**result, range);
  }
  return result;
}

/// The fields of a slice that a method gets.
static FieldsPtr getSliceFields() {
  static const FieldsPtr fields = [] {
    auto made = std::make_shared<TupleFields>();
    made->names = {"start", "stop", "step"};
    return made;
  }();
  return fields;
}

FailureOr<Value> Generator::subscriptObject(const Value &base, const ast::Subscript &expr) {
  std::vector<Value> indices;
  for (const ast::Expr *index : expr.indices) {
    auto *slice = llvm::dyn_cast<ast::Slice>(index);
    if (!slice) {
      FailureOr<Value> value = evaluate(index);
      if (mlir::failed(value))
        return failure();
      indices.push_back(*value);
      continue;
    }
    std::vector<Value> parts;
    for (const ast::Expr *part : {slice->lower, slice->upper, slice->step}) {
      FailureOr<Value> value = part ? evaluate(part) : FailureOr<Value>(Value::none());
      if (mlir::failed(value))
        return failure();
      parts.push_back(*value);
    }
    indices.push_back(Value::tuple(std::move(parts), getSliceFields()));
  }
  Value index = indices.size() == 1 ? indices.front() : Value::tuple(std::move(indices));
  if (std::optional<FailureOr<Value>> result =
          callMethod(base, "__getitem__", CallArg{"", index, expr.range}, expr.range))
    return *result;
  return error(expr.range, base.describe() + " cannot be indexed; its class has no method "
                                             "'__getitem__'");
}

} // namespace tilec::irgen
