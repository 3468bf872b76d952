// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists, sets and dicts that compile-time code changes in place: `x.append(1)`, `x.add(1)`,
// `x[k] = 1`. They are values: the variable gets another one, and what else holds the old one does
// not change.

#include "Collections.h"
#include "Generator.h"

#include "llvm/ADT/STLExtras.h"

namespace tilec::irgen {
namespace {

using CallArg = CallArg;

/// `list.append(x)` and `list.extend(xs)`; nothing for other methods.
std::optional<FailureOr<Value>> changeList(Generator &g, const std::vector<Value> &list,
                                           llvm::StringRef method, llvm::ArrayRef<CallArg> args,
                                           SourceRange range) {
  if ((method != "append" && method != "extend") || args.size() != 1 || !args[0].keyword.empty())
    return std::nullopt;
  std::vector<Value> elements = list;
  if (method == "append") {
    elements.push_back(args[0].value);
  } else {
    FailureOr<std::vector<Value>> items = g.enumerateIterable(args[0].value, args[0].range);
    if (mlir::failed(items))
      return FailureOr<Value>(failure());
    llvm::append_range(elements, *items);
  }
  if (elements.size() > TupleValue::sizeLimit)
    return FailureOr<Value>(g.error(range, "the list has too many elements"));
  return FailureOr<Value>(Value::tuple(std::move(elements)));
}

/// `set.add(x)`, `discard(x)`, `remove(x)` and `update(xs, ...)`.
std::optional<FailureOr<Value>> changeSet(Generator &g, const SetValue &set, llvm::StringRef method,
                                          llvm::ArrayRef<CallArg> args, SourceRange range) {
  bool isOfMany = method == "update", isAddition = method == "add";
  if ((!isOfMany && !isAddition && method != "discard" && method != "remove") ||
      (!isOfMany && args.size() != 1))
    return std::nullopt;
  EntryTable others(g, /*makesSet=*/true);
  for (const CallArg &arg : args) {
    FailureOr<std::vector<Value>> items = std::vector<Value>{arg.value};
    if (isOfMany)
      items = g.enumerateIterable(arg.value, arg.range);
    if (mlir::failed(items) || mlir::failed(others.addAll(*items, arg.range)))
      return FailureOr<Value>(failure());
  }
  if (method == "remove") {
    FailureOr<bool> isKnown = g.isInSet(set, args[0].value, args[0].range);
    if (mlir::failed(isKnown) || !*isKnown)
      return FailureOr<Value>(mlir::failed(isKnown)
                                  ? failure()
                                  : g.error(args[0].range, "the set has no such element"));
  }
  Value right = others.take();
  Value changed =
      *combineSets(g, isOfMany || isAddition ? ast::BinaryOp::BitOr : ast::BinaryOp::Sub, set,
                   *right.getIf<SetValue>());
  if (changed.getIf<SetValue>()->entries->size() > TupleValue::sizeLimit)
    return FailureOr<Value>(
        g.error(range, "a set of more than " + llvm::Twine(TupleValue::sizeLimit) + " elements"));
  return FailureOr<Value>(changed);
}

/// `dict.update(other, name=value)`
std::optional<FailureOr<Value>> changeDict(Generator &g, const DictValue &dict,
                                           llvm::StringRef method, llvm::ArrayRef<CallArg> args,
                                           SourceRange range) {
  if (method != "update")
    return std::nullopt;
  FailureOr<Value> other = g.call(BuiltinValue{findBuiltin("dict", inPython)}, args, range);
  if (mlir::failed(other))
    return other;
  EntryTable table(g, /*makesSet=*/false);
  if (mlir::failed(table.addAll(dict, range)) ||
      mlir::failed(table.addAll(*other->getIf<DictValue>(), range)))
    return FailureOr<Value>(failure());
  return FailureOr<Value>(table.take());
}

} // namespace

std::optional<LogicalResult> Generator::executeChange(const ast::Expr *expr) {
  auto *callExpr = llvm::dyn_cast<ast::Call>(expr);
  auto *method = callExpr ? llvm::dyn_cast<ast::Attribute>(callExpr->callee) : nullptr;
  auto *name = method ? llvm::dyn_cast<ast::Name>(method->base) : nullptr;
  auto isStarred = [](const ast::Expr *arg) { return llvm::isa<ast::Starred>(arg); };
  if (!frame->keepsConstants || !name || llvm::any_of(callExpr->args, isStarred))
    return std::nullopt;
  auto variable = frame->variables.find(name->id);
  if (variable == frame->variables.end())
    return std::nullopt;
  Value before = variable->second;
  bool isTuple = before.getTuple() && !before.getFields();
  if (!isTuple && !before.getIf<SetValue>() && !before.getIf<DictValue>())
    return std::nullopt;
  std::vector<CallArg> args;
  for (const ast::Expr *arg : callExpr->args) {
    FailureOr<Value> value = evaluate(arg);
    if (mlir::failed(value))
      return failure();
    args.push_back({"", *value, arg->range});
  }
  for (const ast::KeywordArg &keyword : callExpr->keywords) {
    FailureOr<Value> value = evaluate(keyword.value);
    if (mlir::failed(value))
      return failure();
    args.push_back({keyword.name, *value, keyword.value->range});
  }
  std::optional<FailureOr<Value>> changed =
      isTuple ? changeList(*this, *before.getTuple(), method->name, args, expr->range)
      : before.getIf<SetValue>()
          ? changeSet(*this, *before.getIf<SetValue>(), method->name, args, expr->range)
          : changeDict(*this, *before.getIf<DictValue>(), method->name, args, expr->range);
  if (!changed)
    return std::nullopt;
  if (mlir::failed(*changed))
    return failure();
  charge(1 + before.getDepth());
  frame->variables[name->id] = **changed;
  return success();
}

LogicalResult Generator::assignElement(const ast::Subscript &target, const Value &value,
                                       SourceRange range) {
  FailureOr<Value> base = evaluate(target.base);
  if (mlir::failed(base))
    return failure();
  const std::vector<Value> *list = base->getFields() ? nullptr : base->getTuple();
  const DictValue *dict = base->getIf<DictValue>();
  if ((!list && !dict) || target.indices.size() != 1 ||
      llvm::isa<ast::Slice>(target.indices.front()))
    return error(target.range, "of " + base->describe() + " no element can be assigned");
  const ast::Expr *indexExpr = target.indices.front();
  FailureOr<Value> index = evaluate(indexExpr);
  if (mlir::failed(index))
    return failure();
  if (dict) {
    EntryTable table(*this, /*makesSet=*/false);
    if (mlir::failed(table.addAll(*dict, target.range)) ||
        mlir::failed(table.add(*index, value, indexExpr->range)))
      return failure();
    return assign(target.base, table.take(), range);
  }
  FailureOr<int64_t> place = toInteger(*index, indexExpr->range, "the index of a list");
  if (mlir::failed(place))
    return failure();
  auto size = static_cast<int64_t>(list->size());
  if (*place < -size || *place >= size)
    return error(indexExpr->range, "index " + llvm::Twine(*place) +
                                       " is out of range for a list of " + llvm::Twine(size));
  std::vector<Value> elements = *list;
  elements[*place < 0 ? *place + size : *place] = value;
  FailureOr<Value> changed = makeTuple(std::move(elements), target.range);
  return mlir::failed(changed) ? failure() : assign(target.base, *changed, range);
}

} // namespace tilec::irgen
