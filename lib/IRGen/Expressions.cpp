// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dispatch over expression nodes, literals, names, tuples and f-strings.

#include "Collections.h"
#include "Generator.h"

namespace tilec::irgen {

FailureOr<Value> Generator::evaluate(const ast::Expr *expr) {
  if (!enter(expr->range))
    return failure();
  llvm::SaveAndRestore<unsigned> deeper(nesting, nesting + 1);
  llvm::SaveAndRestore<SourceRange> place(current, expr->range);
  FailureOr<Value> result = evaluateImpl(expr);
  if (mlir::succeeded(result) && result->isPoison())
    return failure();
  if (mlir::failed(result))
    return failure();
  if (result->getDepth() > Value::depthLimit)
    return error(expr->range, "a compile-time value is nested more than " +
                                  llvm::Twine(Value::depthLimit) + " deep");
  // Texts are copied wherever they go.
  if (const Constant *constant = result->getConstant(); constant && constant->isString())
    charge(constant->getString().size() / 4);
  observe(expr->range, *result);
  return result;
}

FailureOr<Value> Generator::evaluateImpl(const ast::Expr *expr) {
  using ast::ExprKind;
  switch (expr->kind) {
  case ExprKind::Name:
    return evaluateName(*llvm::cast<ast::Name>(expr));
  case ExprKind::IntLiteral: {
    std::optional<PyInt> number = PyInt::fromSigned(llvm::cast<ast::IntLiteral>(expr)->getValue());
    if (!number)
      return error(expr->range,
                   "integer literal is larger than " + llvm::Twine(PyInt::bitLimit) + " bits");
    return Value(Constant(*number));
  }
  case ExprKind::FloatLiteral:
    return Value(Constant(llvm::cast<ast::FloatLiteral>(expr)->value));
  case ExprKind::StringLiteral:
    return Value(Constant(llvm::cast<ast::StringLiteral>(expr)->value.str()));
  case ExprKind::BoolLiteral:
    return Value::boolean(llvm::cast<ast::BoolLiteral>(expr)->value);
  case ExprKind::NoneLiteral:
    return Value::none();
  case ExprKind::FString:
    return evaluateFString(*llvm::cast<ast::FString>(expr));
  case ExprKind::Tuple:
    return evaluateElements(llvm::cast<ast::Tuple>(expr)->elements);
  case ExprKind::List:
    return evaluateElements(llvm::cast<ast::List>(expr)->elements);
  case ExprKind::Dict:
    return evaluateDict(*llvm::cast<ast::Dict>(expr));
  case ExprKind::Comprehension:
    return evaluateComprehension(*llvm::cast<ast::Comprehension>(expr));
  case ExprKind::Attribute: {
    auto *attribute = llvm::cast<ast::Attribute>(expr);
    FailureOr<Value> base = evaluate(attribute->base);
    if (mlir::failed(base))
      return failure();
    return getAttribute(*base, attribute->name, attribute->nameRange);
  }
  case ExprKind::Subscript: {
    auto *subscriptExpr = llvm::cast<ast::Subscript>(expr);
    FailureOr<Value> base = evaluate(subscriptExpr->base);
    if (mlir::failed(base))
      return failure();
    return subscript(*base, *subscriptExpr);
  }
  case ExprKind::Call:
    return evaluateCall(*llvm::cast<ast::Call>(expr));
  case ExprKind::Unary: {
    auto *unaryExpr = llvm::cast<ast::Unary>(expr);
    FailureOr<Value> operand = evaluate(unaryExpr->operand);
    if (mlir::failed(operand))
      return failure();
    return unary(unaryExpr->op, *operand, expr->range);
  }
  case ExprKind::Binary: {
    auto *binaryExpr = llvm::cast<ast::Binary>(expr);
    FailureOr<Value> lhs = evaluate(binaryExpr->lhs);
    FailureOr<Value> rhs = evaluate(binaryExpr->rhs);
    if (mlir::failed(lhs) || mlir::failed(rhs))
      return failure();
    return binary(binaryExpr->op, *lhs, *rhs, expr->range, /*isChecked=*/true);
  }
  case ExprKind::BoolOp:
    return evaluateBoolOp(*llvm::cast<ast::BoolOp>(expr));
  case ExprKind::Compare:
    return evaluateCompare(*llvm::cast<ast::Compare>(expr));
  case ExprKind::Conditional:
    return evaluateConditional(*llvm::cast<ast::Conditional>(expr));
  case ExprKind::NamedExpr: {
    auto *named = llvm::cast<ast::NamedExpr>(expr);
    FailureOr<Value> value = evaluate(named->value);
    if (mlir::failed(value))
      return failure();
    if (mlir::failed(assign(named->target, *value, expr->range)))
      return failure();
    return frame->variables.lookup(named->target->id);
  }
  case ExprKind::Lambda:
    return Value(LambdaValue{llvm::cast<ast::Lambda>(expr), frame->module});
  case ExprKind::EllipsisLiteral:
    return error(expr->range, "'...' is not supported in a kernel");
  case ExprKind::Set:
    return evaluateSet(*llvm::cast<ast::Set>(expr));
  case ExprKind::Slice:
    return error(expr->range, "a slice is only allowed inside a subscript");
  case ExprKind::Starred:
    return error(expr->range, "'*' is only allowed in calls, tuples and lists");
  case ExprKind::Unsupported:
    return error(expr->range, "'" + llvm::cast<ast::UnsupportedExpr>(expr)->what +
                                  "' is not supported in a kernel");
  }
  return error(expr->range, "this expression is not supported in a kernel");
}

std::vector<llvm::StringRef> Generator::getVisibleNames() {
  std::vector<llvm::StringRef> names;
  for (const auto &variable : frame->variables)
    if (!variable.second.isPoison())
      names.push_back(variable.first);
  llvm::sort(names);
  for (llvm::StringRef name : frame->module->scope.getNames())
    names.push_back(name);
  for (llvm::StringRef name : getBuiltinNames(inPython))
    names.push_back(name);
  return names;
}

FailureOr<Value> Generator::evaluateName(const ast::Name &name) {
  auto local = frame->variables.find(name.id);
  if (local != frame->variables.end()) {
    if (const PoisonValue *poisoned = local->second.getIf<PoisonValue>()) {
      if (!poisoned->message.empty())
        return error(name.range, poisoned->message);
      return failure();
    }
    return local->second;
  }
  bool found = false;
  if (frame->around) {
    FailureOr<Value> value =
        modules.lookupAround(*frame->module, frame->around, name.id, name.range, found);
    if (found)
      return value;
  }
  FailureOr<Value> value = modules.lookup(*frame->module, name.id, name.range, found);
  if (found)
    return value;
  if (frame->function) {
    ast::NameSet assigned;
    ast::collectAssignedNames(frame->function->body, assigned);
    if (assigned.contains(name.id))
      return error(name.range, "variable '" + name.id + "' is used before it is assigned");
  }
  (void)errorUnknown(name.range, "unknown name '" + name.id + "'", name.id, getVisibleNames());
  if (Diagnostic *last = diagnostics.getLast())
    modules.noteMissingStars(*frame->module, *last);
  return failure();
}

FailureOr<Value> Generator::evaluateElements(llvm::ArrayRef<ast::Expr *> elements) {
  std::vector<Value> values;
  bool failed = false;
  for (const ast::Expr *element : elements) {
    auto *starred = llvm::dyn_cast<ast::Starred>(element);
    FailureOr<Value> value = evaluate(starred ? starred->value : element);
    if (mlir::failed(value)) {
      failed = true;
      continue;
    }
    if (!starred) {
      values.push_back(*value);
      continue;
    }
    FailureOr<std::vector<Value>> items = enumerateIterable(*value, element->range);
    if (mlir::failed(items))
      return failure();
    values.insert(values.end(), items->begin(), items->end());
    if (values.size() > TupleValue::sizeLimit)
      return makeTuple(std::move(values), current);
  }
  if (failed)
    return failure();
  return makeTuple(std::move(values), current);
}

FailureOr<Value> Generator::evaluateFString(const ast::FString &string) {
  std::string text;
  for (const ast::FStringPart &part : string.parts) {
    text += part.text;
    if (!part.value)
      continue;
    FailureOr<Value> value = evaluate(part.value);
    if (mlir::failed(value))
      return failure();
    const Constant *constant = value->getConstant();
    if (!constant)
      return error(part.value->range, "a field of an f-string must be known at compile time, got " +
                                          value->describe());
    Constant shown = *constant;
    if (part.conversion)
      shown = Constant(part.conversion == 's'   ? constant->str()
                       : part.conversion == 'a' ? constant->ascii()
                                                : constant->repr());
    std::string spec;
    if (part.spec) {
      FailureOr<Value> specValue = evaluateFString(*part.spec);
      if (mlir::failed(specValue))
        return failure();
      spec = specValue->getConstant()->getString();
    }
    FoldResult formatted = formatConstant(shown, spec);
    if (!formatted.value)
      return error(part.range, formatted.error);
    text += formatted.value->getString();
    if (text.size() > 65536)
      return error(string.range, "compile-time string is longer than 65536 bytes");
  }
  return Value(Constant(std::move(text)));
}

} // namespace tilec::irgen
