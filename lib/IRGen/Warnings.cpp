// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warnings about single statements and expressions, given while they are evaluated.

#include "Generator.h"

#include "tilec/Sema/Lint.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tilec::irgen {

void Generator::lint(const ast::FunctionDef &function, bool isKernel) {
  if (options.warn && getAsideDepth() == 0 && linted.insert(&function).second)
    lintFunction(function, isKernel, diagnostics);
}

/// Operations that are called for what they tell the compiler.
static bool isHint(llvm::StringRef name) {
  return name == "multiple_of" || name == "max_contiguous" || name == "max_constancy" ||
         name == "assume";
}

void Generator::checkDropped(const ast::Expr *expr, const Value &value) {
  // What a function of the program returns may well be ignored.
  auto *call = llvm::dyn_cast<ast::Call>(expr);
  auto *callee = call ? llvm::dyn_cast<ast::Attribute>(call->callee) : nullptr;
  const RuntimeValue *runtime = value.getRuntime();
  mlir::Operation *op = runtime ? runtime->value.getDefiningOp() : nullptr;
  if (!callee || !op || isHint(callee->name))
    return;
  if (llvm::isa<tile::LoadOp>(op) || mlir::isMemoryEffectFree(op))
    warn(warnings::kUnusedValue, expr->range,
         "the result of '" + callee->name + "' is not used, a value of type " + value.describe());
}

/// An integer that stands in the source.
static std::optional<PyInt> getLiteral(const ast::Expr *expr) {
  auto *unary = llvm::dyn_cast<ast::Unary>(expr);
  bool isNegative = unary && unary->op == ast::UnaryOp::Minus;
  auto *literal = llvm::dyn_cast<ast::IntLiteral>(isNegative ? unary->operand : expr);
  std::optional<PyInt> number = literal ? PyInt::fromSigned(literal->getValue()) : std::nullopt;
  return number && isNegative ? std::optional<PyInt>(number->negate()) : number;
}

/// Whether all elements of a value are zero or more whatever the arguments are.
static bool isNeverNegative(const RuntimeValue &value, bool isInHelper) {
  if (value.type.element.isUnsignedInt() && !value.type.element.isBool())
    return !isInHelper;
  mlir::Operation *op = value.value.getDefiningOp();
  while (llvm::isa_and_nonnull<tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp>(op))
    op = op->getOperand(0).getDefiningOp();
  if (auto range = llvm::dyn_cast_or_null<tile::MakeRangeOp>(op))
    return static_cast<int32_t>(range.getStart()) >= 0;
  return llvm::isa_and_nonnull<tile::ProgramIdOp, tile::NumProgramsOp>(op);
}

static ast::CompareOp mirror(ast::CompareOp op) {
  switch (op) {
  case ast::CompareOp::Lt:
    return ast::CompareOp::Gt;
  case ast::CompareOp::LtE:
    return ast::CompareOp::GtE;
  case ast::CompareOp::Gt:
    return ast::CompareOp::Lt;
  case ast::CompareOp::GtE:
    return ast::CompareOp::LtE;
  default:
    return op;
  }
}

/// What `x op number` is for every x that is zero or more, if that is certain.
static std::optional<bool> decide(ast::CompareOp op, const PyInt &number) {
  bool isNegative = number.isNegative(), isZero = number.isZero();
  switch (op) {
  case ast::CompareOp::Lt:
    return isNegative || isZero ? std::optional<bool>(false) : std::nullopt;
  case ast::CompareOp::GtE:
    return isNegative || isZero ? std::optional<bool>(true) : std::nullopt;
  case ast::CompareOp::LtE:
  case ast::CompareOp::Eq:
    return isNegative ? std::optional<bool>(false) : std::nullopt;
  case ast::CompareOp::Gt:
  case ast::CompareOp::NotEq:
    return isNegative ? std::optional<bool>(true) : std::nullopt;
  default:
    return std::nullopt;
  }
}

void Generator::checkCompare(const ast::Expr *lhs, ast::CompareOp op, const ast::Expr *rhs,
                             const Value &left, const Value &right) {
  SourceRange range = lhs->range.to(rhs->range);
  // A helper may be meant for floats too, or for unsigned types.
  bool isInHelper = frame && frame->caller;
  auto report = [&](bool result, const llvm::Twine &why) {
    warn(warnings::kTautologicalCompare, range,
         llvm::Twine("this comparison is always ") + (result ? "true" : "false") + ": " + why);
  };
  auto *leftName = llvm::dyn_cast<ast::Name>(lhs), *rightName = llvm::dyn_cast<ast::Name>(rhs);
  if (leftName && rightName && leftName->id == rightName->id && left.isRuntime() && !isInHelper &&
      left.getRuntime()->type.element.isInt()) {
    if (op == ast::CompareOp::Is || op == ast::CompareOp::IsNot || op == ast::CompareOp::In ||
        op == ast::CompareOp::NotIn)
      return;
    bool result =
        op == ast::CompareOp::Eq || op == ast::CompareOp::LtE || op == ast::CompareOp::GtE;
    return report(result, "both sides are '" + leftName->id + "'");
  }
  for (bool isMirrored : {false, true}) {
    const Value &value = isMirrored ? right : left;
    std::optional<PyInt> number = getLiteral(isMirrored ? lhs : rhs);
    if (!number || !value.isRuntime() || !isNeverNegative(*value.getRuntime(), isInHelper))
      continue;
    if (std::optional<bool> result = decide(isMirrored ? mirror(op) : op, *number))
      return report(*result, "a value of type " + value.describe() + " that is never negative");
  }
}

} // namespace tilec::irgen
