// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dicts and sets of compile-time values: displays, comprehensions, and the operators of sets. Both
// keep the order in which things came.

#include "Collections.h"

#include "Generator.h"

namespace tilec::irgen {

Value getDictKey(const DictValue &dict, size_t index) {
  return dict.keys ? (*dict.keys)[index] : Value(Constant((*dict.entries)[index].first));
}

//===- Entries ------------------------------------------------------------------------------===//

LogicalResult EntryTable::add(const Value &key, const Value &value, SourceRange range) {
  FailureOr<std::string> text =
      state.toDictKey(key, range, isSet ? "an element of a set" : "the key of a dict");
  if (mlir::failed(text))
    return failure();
  return add(*text, key, value, range);
}

LogicalResult EntryTable::add(const std::string &text, const Value &key, const Value &value,
                              SourceRange range) {
  state.charge(4 + text.size() / 4);
  auto [place, isNew] = places.try_emplace(text, entries.size());
  if (!isNew) {
    // The first of equal elements stays, and the first of equal keys with the last value.
    if (!isSet)
      entries[place->second].second = value;
    return success();
  }
  if (entries.size() >= TupleValue::sizeLimit)
    return state.error(range, llvm::Twine(isSet ? "a set" : "a dict") + " of more than " +
                                  llvm::Twine(TupleValue::sizeLimit) + " elements");
  entries.emplace_back(text, value);
  keys.push_back(key);
  return success();
}

LogicalResult EntryTable::addAll(const DictValue &dict, SourceRange range) {
  for (size_t i = 0; i < dict.entries->size(); ++i)
    if (mlir::failed(
            add((*dict.entries)[i].first, getDictKey(dict, i), (*dict.entries)[i].second, range)))
      return failure();
  return success();
}

LogicalResult EntryTable::addAll(llvm::ArrayRef<Value> elements, SourceRange range) {
  for (const Value &element : elements)
    if (mlir::failed(add(element, element, range)))
      return failure();
  return success();
}

Value EntryTable::take() {
  return isSet ? Value::set(std::move(entries)) : Value::dict(std::move(entries), std::move(keys));
}

//===- Displays and comprehensions ----------------------------------------------------------===//

FailureOr<Value> Generator::evaluateDict(const ast::Dict &dict) {
  EntryTable table(*this, /*makesSet=*/false);
  for (const ast::DictEntry &entry : dict.entries) {
    FailureOr<Value> value = evaluate(entry.value);
    if (mlir::failed(value))
      return failure();
    if (!entry.key) {
      const DictValue *other = value->getIf<DictValue>();
      if (!other)
        return error(entry.value->range, "'**' needs a dict, got " + value->describe());
      if (mlir::failed(table.addAll(*other, entry.value->range)))
        return failure();
      continue;
    }
    FailureOr<Value> key = evaluate(entry.key);
    if (mlir::failed(key) || mlir::failed(table.add(*key, *value, entry.key->range)))
      return failure();
  }
  return table.take();
}

FailureOr<Value> Generator::evaluateSet(const ast::Set &set) {
  FailureOr<Value> elements = evaluateElements(set.elements);
  EntryTable table(*this, /*makesSet=*/true);
  if (mlir::failed(elements) || mlir::failed(table.addAll(*elements->getTuple(), set.range)))
    return failure();
  return table.take();
}

FailureOr<Value> Generator::evaluateComprehension(const ast::Comprehension &comprehension) {
  using Form = ast::ComprehensionKind;
  bool isList = comprehension.form == Form::List || comprehension.form == Form::Generator;
  // The targets live inside the comprehension only.
  charge(frame->variables.size());
  Variables saved = frame->variables;
  std::vector<Value> results;
  size_t totalSize = 0;
  EntryTable table(*this, comprehension.form == Form::Set);
  LogicalResult expanded = expandClauses(comprehension, 0, [&]() -> LogicalResult {
    FailureOr<Value> element = evaluate(comprehension.element);
    if (mlir::failed(element))
      return failure();
    if (!isList) {
      FailureOr<Value> value = *element;
      if (comprehension.value)
        value = evaluate(comprehension.value);
      return mlir::failed(value) ? failure()
                                 : table.add(*element, *value, comprehension.element->range);
    }
    const TupleValue *nested = element->getIf<TupleValue>();
    totalSize += 1 + (nested ? nested->totalSize : 0);
    if (totalSize > TupleValue::sizeLimit)
      return error(comprehension.range,
                   "a tuple of more than " + llvm::Twine(TupleValue::sizeLimit) + " elements");
    results.push_back(*element);
    return success();
  });
  frame->variables = std::move(saved);
  if (mlir::failed(expanded))
    return failure();
  return isList ? makeTuple(std::move(results), comprehension.range) : table.take();
}

LogicalResult Generator::expandClauses(const ast::Comprehension &comprehension, unsigned clause,
                                       llvm::function_ref<LogicalResult()> addElement) {
  if (clause == comprehension.clauses.size())
    return addElement();
  const ast::ComprehensionClause &part = comprehension.clauses[clause];
  FailureOr<Value> iterable = evaluate(part.iter);
  if (mlir::failed(iterable))
    return failure();
  FailureOr<std::vector<Value>> items = enumerateIterable(*iterable, part.iter->range);
  if (mlir::failed(items))
    return failure();
  for (const Value &item : *items) {
    {
      // Numbers stay compile-time values.
      llvm::SaveAndRestore<bool> keepConstants(frame->keepsConstants, true);
      if (mlir::failed(assign(part.target, item, part.target->range)))
        return failure();
    }
    bool keep = true;
    for (const ast::Expr *condition : part.conditions) {
      FailureOr<Value> test = evaluate(condition);
      if (mlir::failed(test))
        return failure();
      FailureOr<bool> truth = toBool(*test, condition->range, "the condition of a comprehension");
      if (mlir::failed(truth))
        return failure();
      keep = keep && *truth;
    }
    if (keep && mlir::failed(expandClauses(comprehension, clause + 1, addElement)))
      return failure();
  }
  return success();
}

//===- Operators ----------------------------------------------------------------------------===//

std::optional<Value> combineSets(Evaluation &state, ast::BinaryOp op, const SetValue &lhs,
                                 const SetValue &rhs) {
  bool isUnion = op == ast::BinaryOp::BitOr, isDifference = op == ast::BinaryOp::Sub;
  bool isIntersection = op == ast::BinaryOp::BitAnd;
  if (!isUnion && !isDifference && !isIntersection && op != ast::BinaryOp::BitXor)
    return std::nullopt;
  state.charge(4 * (lhs.entries->size() + rhs.entries->size()));
  llvm::StringSet<> inLeft, inRight;
  for (const auto &entry : *lhs.entries)
    inLeft.insert(entry.first);
  for (const auto &entry : *rhs.entries)
    inRight.insert(entry.first);
  KeyedValues result;
  for (const auto &entry : *lhs.entries)
    if (isUnion || isIntersection == inRight.contains(entry.first))
      result.push_back(entry);
  if (isUnion || op == ast::BinaryOp::BitXor)
    for (const auto &entry : *rhs.entries)
      if (!inLeft.contains(entry.first))
        result.push_back(entry);
  return Value::set(std::move(result));
}

std::optional<bool> compareSets(Evaluation &state, ast::CompareOp op, const SetValue &lhs,
                                const SetValue &rhs) {
  state.charge(4 * (lhs.entries->size() + rhs.entries->size()));
  llvm::StringSet<> inRight;
  for (const auto &entry : *rhs.entries)
    inRight.insert(entry.first);
  size_t shared = llvm::count_if(*lhs.entries,
                                 [&](const auto &entry) { return inRight.contains(entry.first); });
  bool isSubset = shared == lhs.entries->size(), isSuperset = shared == rhs.entries->size();
  switch (op) {
  case ast::CompareOp::Eq:
    return isSubset && isSuperset;
  case ast::CompareOp::NotEq:
    return !isSubset || !isSuperset;
  case ast::CompareOp::Lt:
    return isSubset && !isSuperset;
  case ast::CompareOp::LtE:
    return isSubset;
  case ast::CompareOp::Gt:
    return isSuperset && !isSubset;
  case ast::CompareOp::GtE:
    return isSuperset;
  default:
    return std::nullopt;
  }
}

} // namespace tilec::irgen
