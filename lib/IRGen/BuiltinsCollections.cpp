// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dict(), set() and their methods, on compile-time values.

#include "Collections.h"
#include "Generator.h"

namespace tilec::irgen {
namespace {

/// `dict()`, `dict(other)`, `dict(pairs)`, `dict(name=value)`
FailureOr<Value> genDict(Generator &g, const BoundArgs &a) {
  EntryTable table(g, /*makesSet=*/false);
  if (a.args[0].given) {
    if (const DictValue *other = a[0].value.getIf<DictValue>()) {
      if (mlir::failed(table.addAll(*other, a[0].range)))
        return failure();
    } else {
      FailureOr<std::vector<Value>> pairs = g.enumerateIterable(a[0].value, a[0].range);
      if (mlir::failed(pairs))
        return failure();
      for (const Value &pair : *pairs) {
        const std::vector<Value> *parts = pair.getTuple();
        if (!parts || parts->size() != 2)
          return g.error(a[0].range,
                         "dict() needs pairs of a key and a value, got " + pair.describe());
        if (mlir::failed(table.add((*parts)[0], (*parts)[1], a[0].range)))
          return failure();
      }
    }
  }
  for (const CallArg &entry : a.keywords)
    if (mlir::failed(table.add(Value(Constant(entry.keyword.str())), entry.value, entry.range)))
      return failure();
  return table.take();
}

FailureOr<Value> makeSet(Generator &g, const BoundArg &arg) {
  if (arg.value.getIf<SetValue>())
    return arg.value;
  EntryTable table(g, /*makesSet=*/true);
  FailureOr<std::vector<Value>> elements = g.enumerateIterable(arg.value, arg.range);
  if (mlir::failed(elements) || mlir::failed(table.addAll(*elements, arg.range)))
    return failure();
  return table.take();
}

/// `set()`, `set(elements)`
FailureOr<Value> genSet(Generator &g, const BoundArgs &a) {
  return a.args[0].given ? makeSet(g, a[0]) : Value::set({});
}

/// `set.union(other, ...)`, `intersection`, `difference`, `symmetric_difference`
template <ast::BinaryOp op> FailureOr<Value> genCombined(Generator &g, const BoundArgs &a) {
  Value result = a[0].value;
  for (const BoundArg &arg : a.rest) {
    FailureOr<Value> other = makeSet(g, arg);
    if (mlir::failed(other))
      return failure();
    result = *combineSets(g, op, *result.getIf<SetValue>(), *other->getIf<SetValue>());
  }
  return result;
}

/// `set.issubset(other)` and `set.issuperset(other)`
template <ast::CompareOp op> FailureOr<Value> genCompared(Generator &g, const BoundArgs &a) {
  FailureOr<Value> other = makeSet(g, a[1]);
  if (mlir::failed(other))
    return failure();
  return Value::boolean(
      *compareSets(g, op, *a[0].value.getIf<SetValue>(), *other->getIf<SetValue>()));
}

FailureOr<Value> genIsDisjoint(Generator &g, const BoundArgs &a) {
  FailureOr<Value> other = makeSet(g, a[1]);
  if (mlir::failed(other))
    return failure();
  Value shared = *combineSets(g, ast::BinaryOp::BitAnd, *a[0].value.getIf<SetValue>(),
                              *other->getIf<SetValue>());
  return Value::boolean(shared.getIf<SetValue>()->entries->empty());
}

/// `dict.get(key, default)`
FailureOr<Value> genGet(Generator &g, const BoundArgs &a) {
  FailureOr<const Value *> found =
      g.findInDict(*a[0].value.getIf<DictValue>(), a[1].value, a[1].range);
  if (mlir::failed(found))
    return failure();
  return *found ? **found : a.has(2) ? a[2].value : Value::none();
}

/// `dict.keys()`, `dict.values()` and `dict.items()`, as tuples
template <bool hasKeys, bool hasValues>
FailureOr<Value> genEntries(Generator &g, const BoundArgs &a) {
  const DictValue &dict = *a[0].value.getIf<DictValue>();
  std::vector<Value> result;
  for (size_t i = 0; i < dict.entries->size(); ++i) {
    const Value &value = (*dict.entries)[i].second;
    if (hasKeys && hasValues)
      result.push_back(Value::tuple({getDictKey(dict, i), value}));
    else
      result.push_back(hasKeys ? getDictKey(dict, i) : value);
  }
  return g.makeTuple(std::move(result), a.range);
}

constexpr Handler collectionHandlers[] = {
    {"dict", inPython, genDict},
    {"set", inPython, genSet},
    {"frozenset", inPython, genSet},
    {"get", asDictMethod, genGet},
    {"keys", asDictMethod, genEntries<true, false>},
    {"values", asDictMethod, genEntries<false, true>},
    {"items", asDictMethod, genEntries<true, true>},
    {"union", asSetMethod, genCombined<ast::BinaryOp::BitOr>},
    {"intersection", asSetMethod, genCombined<ast::BinaryOp::BitAnd>},
    {"difference", asSetMethod, genCombined<ast::BinaryOp::Sub>},
    {"symmetric_difference", asSetMethod, genCombined<ast::BinaryOp::BitXor>},
    {"issubset", asSetMethod, genCompared<ast::CompareOp::LtE>},
    {"issuperset", asSetMethod, genCompared<ast::CompareOp::GtE>},
    {"isdisjoint", asSetMethod, genIsDisjoint},
};

} // namespace

llvm::ArrayRef<Handler> getCollectionHandlers() { return collectionHandlers; }

} // namespace tilec::irgen
