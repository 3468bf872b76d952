// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Python's builtins, as far as kernels use them.

#include "Generator.h"

#include "tilec/Support/CodePoints.h"

#include <cmath>

namespace tilec::irgen {
namespace {

FailureOr<Value> genLen(Generator &g, const BoundArgs &a) {
  if (std::optional<FailureOr<Value>> size = g.callMethod(a[0].value, "__len__", {}, a.range))
    return *size;
  if (const std::vector<Value> *elements = a[0].value.getTuple())
    return Value::integer(static_cast<int64_t>(elements->size()));
  if (const DictValue *dict = a[0].value.getIf<DictValue>())
    return Value::integer(static_cast<int64_t>(dict->entries->size()));
  if (const SetValue *set = a[0].value.getIf<SetValue>())
    return Value::integer(static_cast<int64_t>(set->entries->size()));
  const Constant *constant = a[0].value.getConstant();
  if (constant && constant->isString()) {
    g.charge(constant->getString().size());
    return Value::integer(static_cast<int64_t>(countCodePoints(constant->getString())));
  }
  return g.error(a[0].range, "len() needs a tuple or string, got " + a[0].value.describe());
}

FailureOr<Value> genInt(Generator &g, const BoundArgs &a) {
  if (a[0].value.isRuntime())
    return g.cast(a[0].value, ScalarKind::Int32, a[0].range);
  if (!a[0].value.getConstant())
    return g.error(a[0].range, "int() needs a number, got " + a[0].value.describe());
  return g.toValue(foldToInt(*a[0].value.getConstant()), a[0].range);
}

FailureOr<Value> genFloat(Generator &g, const BoundArgs &a) {
  if (a[0].value.isRuntime())
    return g.cast(a[0].value, ScalarKind::FP32, a[0].range);
  if (!a[0].value.getConstant())
    return g.error(a[0].range, "float() needs a number or string, got " + a[0].value.describe());
  return g.toValue(foldToFloat(*a[0].value.getConstant()), a[0].range);
}

FailureOr<Value> genBool(Generator &g, const BoundArgs &a) {
  if (a[0].value.isRuntime())
    return g.cast(a[0].value, ScalarKind::Int1, a[0].range);
  FailureOr<bool> truth = g.toBool(a[0].value, a[0].range, "the operand of bool()");
  if (mlir::failed(truth))
    return failure();
  return Value::boolean(*truth);
}

/// Python's str() and repr().
template <bool isRepr> FailureOr<Value> genStr(Generator &g, const BoundArgs &a) {
  const Constant *constant = a[0].value.getConstant();
  if (!constant)
    return g.error(a[0].range,
                   a.builtin->name + "() needs a compile-time value, got " + a[0].value.describe());
  return Value(Constant(isRepr ? constant->repr() : constant->str()));
}

/// `min(a, b, ...)` and `min(tuple)`.
template <bool isMax> FailureOr<Value> genPythonMinMax(Generator &g, const BoundArgs &a) {
  std::vector<Value> operands;
  for (const BoundArg &arg : a.rest)
    operands.push_back(arg.value);
  bool isIterable = operands.size() == 1 && !operands[0].isRuntime() && !operands[0].isNumber();
  if (isIterable) {
    FailureOr<std::vector<Value>> items = g.enumerateIterable(operands[0], a.rest[0].range);
    if (mlir::failed(items))
      return failure();
    operands = std::move(*items);
  }
  g.charge(operands.size());
  if (operands.empty())
    return g.error(a.range, "'" + a.builtin->name + "' of nothing");
  const LanguageFunction *combine = findBuiltin(isMax ? "maximum" : "minimum", inLanguage);
  Value result = operands.front();
  for (const Value &operand : llvm::drop_begin(operands)) {
    if (result.isNumber() && operand.isNumber()) {
      FailureOr<Value> less = isMax ? g.compare(ast::CompareOp::Lt, result, operand, a.range)
                                    : g.compare(ast::CompareOp::Lt, operand, result, a.range);
      if (mlir::failed(less))
        return failure();
      if (less->getConstant()->isTrue())
        result = operand;
      continue;
    }
    CallArg args[] = {{"", result, a.range}, {"", operand, a.range}};
    FailureOr<Value> next = g.call(BuiltinValue{combine}, args, a.range);
    if (mlir::failed(next))
      return failure();
    result = *next;
  }
  return result;
}

FailureOr<Value> genSum(Generator &g, const BoundArgs &a) {
  if (a[0].value.isRuntime() || a[0].value.isNumber())
    return g.error(a[0].range,
                   "sum() needs a tuple, got " + a[0].value.describe() + "; use tl.sum for blocks");
  FailureOr<std::vector<Value>> elements = g.enumerateIterable(a[0].value, a[0].range);
  if (mlir::failed(elements))
    return failure();
  Value result = a.has(1) ? a[1].value : Value::integer(0);
  for (const Value &element : *elements) {
    FailureOr<Value> next =
        g.binary(ast::BinaryOp::Add, result, element, a.range, /*isChecked=*/true);
    if (mlir::failed(next))
      return failure();
    result = *next;
  }
  return result;
}

FailureOr<Value> genTuple(Generator &g, const BoundArgs &a) {
  if (!a.has(0))
    return Value::tuple({});
  if (!a[0].value.getTuple()) {
    FailureOr<std::vector<Value>> items = g.enumerateIterable(a[0].value, a[0].range);
    if (mlir::failed(items))
      return failure();
    return Value::tuple(std::move(*items));
  }
  return a[0].value;
}

FailureOr<Value> genPrint(Generator &g, const BoundArgs &a) {
  std::vector<CallArg> args;
  for (const BoundArg &arg : a.rest)
    args.push_back({"", arg.value, arg.range});
  return g.call(BuiltinValue{findBuiltin("device_print", inLanguage)}, args, a.range);
}

FailureOr<Value> genHasAttr(Generator &g, const BoundArgs &a) {
  FailureOr<std::string> name = g.toString(a[1].value, a[1].range, "the attribute's name");
  if (mlir::failed(name))
    return failure();
  return g.hasAttribute(a[0].value, *name);
}

FailureOr<Value> genGetAttr(Generator &g, const BoundArgs &a) {
  FailureOr<std::string> name = g.toString(a[1].value, a[1].range, "the attribute's name");
  if (mlir::failed(name))
    return failure();
  if (a.args[2].given && !g.hasAttribute(a[0].value, *name).getConstant()->isTrue())
    return a[2].value;
  return g.getAttribute(a[0].value, *name, a.range);
}

FailureOr<Value> genFilter(Generator &g, const BoundArgs &a) {
  FailureOr<std::vector<Value>> items = g.enumerateIterable(a[1].value, a[1].range);
  if (mlir::failed(items))
    return failure();
  std::vector<Value> kept;
  for (const Value &item : *items) {
    FailureOr<Value> keeps = item;
    if (!a[0].value.isNone())
      keeps = g.call(a[0].value, CallArg{"", item, a[1].range}, a.range);
    if (mlir::failed(keeps))
      return failure();
    FailureOr<bool> truth = g.toBool(*keeps, a.range, "what the function returns");
    if (mlir::failed(truth))
      return failure();
    if (*truth)
      kept.push_back(item);
  }
  return Value::tuple(std::move(kept));
}

/// The elements of several iterables side by side, as many rows as the shortest has elements.
FailureOr<std::vector<std::vector<Value>>> getRows(Generator &g, const BoundArgs &a) {
  std::vector<std::vector<Value>> columns;
  size_t size = a.rest.empty() ? 0 : TupleValue::sizeLimit;
  for (const BoundArg &arg : a.rest) {
    FailureOr<std::vector<Value>> items = g.enumerateIterable(arg.value, arg.range);
    if (mlir::failed(items))
      return failure();
    size = std::min(size, items->size());
    columns.push_back(std::move(*items));
  }
  if (size * (columns.size() + 1) > TupleValue::sizeLimit)
    return g.error(a.range,
                   "a tuple of more than " + llvm::Twine(TupleValue::sizeLimit) + " elements");
  std::vector<std::vector<Value>> rows(size);
  for (size_t i = 0; i < size; ++i)
    for (const std::vector<Value> &column : columns)
      rows[i].push_back(column[i]);
  return rows;
}

/// `map(function, a, b, ...)`, as a tuple.
FailureOr<Value> genPythonMap(Generator &g, const BoundArgs &a) {
  FailureOr<std::vector<std::vector<Value>>> rows = getRows(g, a);
  if (mlir::failed(rows))
    return failure();
  std::vector<Value> results;
  for (const std::vector<Value> &row : *rows) {
    llvm::SmallVector<CallArg> args;
    for (auto [arg, element] : llvm::zip_equal(a.rest, row))
      args.push_back({"", element, arg.range});
    FailureOr<Value> result = g.call(a[0].value, args, a.range);
    if (mlir::failed(result))
      return failure();
    results.push_back(*result);
  }
  return g.makeTuple(std::move(results), a.range);
}

/// `sorted(items, key, reverse)`: what is equal keeps its order.
FailureOr<Value> genSorted(Generator &g, const BoundArgs &a) {
  FailureOr<std::vector<Value>> items = g.enumerateIterable(a[0].value, a[0].range);
  FailureOr<bool> isDescending = a.has(2) ? g.toBool(a[2].value, a[2].range, "'reverse'") : false;
  if (mlir::failed(items) || mlir::failed(isDescending))
    return failure();
  std::vector<Value> keys, sorted;
  for (const Value &item : *items) {
    FailureOr<Value> key = item;
    if (a.has(1) && !a[1].value.isNone())
      key = g.call(a[1].value, CallArg{"", item, a[0].range}, a.range);
    if (mlir::failed(key))
      return failure();
    // The place after the last one that does not come later.
    size_t from = 0, to = keys.size();
    while (from < to) {
      size_t middle = (from + to) / 2;
      FailureOr<Value> isLater = *isDescending
                                     ? g.compare(ast::CompareOp::Lt, keys[middle], *key, a.range)
                                     : g.compare(ast::CompareOp::Lt, *key, keys[middle], a.range);
      FailureOr<bool> truth = failure();
      if (mlir::succeeded(isLater))
        truth = g.toBool(*isLater, a.range, "what is sorted");
      if (mlir::failed(truth))
        return failure();
      (*truth ? to : from) = *truth ? middle : middle + 1;
    }
    g.charge(keys.size());
    keys.insert(keys.begin() + from, *key);
    sorted.insert(sorted.begin() + from, item);
  }
  return Value::tuple(std::move(sorted));
}

/// `round(x)`, an integer, and `round(x, digits)`; halves go to the even neighbour.
FailureOr<Value> genRound(Generator &g, const BoundArgs &a) {
  const Constant *number = a[0].value.getConstant();
  if (!number || !number->isNumber())
    return g.error(a[0].range, "round() needs a number that is known at compile time, got " +
                                   a[0].value.describe());
  if (!a.has(1) || a[1].value.isNone())
    return number->isFloat()
               ? g.toValue(foldToInt(Constant(std::nearbyint(number->getFloat()))), a[0].range)
               : Value(Constant(number->toInt()));
  FailureOr<int64_t> digits = g.toInteger(a[1].value, a[1].range, "the number of digits");
  if (mlir::failed(digits))
    return failure();
  if (*digits < 0 || *digits > 300)
    return g.error(a[1].range, "the number of digits must be from 0 to 300");
  if (!number->isFloat() || !std::isfinite(number->getFloat()))
    return a[0].value;
  FoldResult text = formatConstant(*number, "." + std::to_string(*digits) + "f");
  return g.toValue(text.value ? foldToFloat(*text.value) : text, a.range);
}

FailureOr<Value> genPythonPow(Generator &g, const BoundArgs &a) {
  FailureOr<Value> power = g.binary(ast::BinaryOp::Pow, a[0].value, a[1].value, a.range);
  if (mlir::failed(power) || !a.has(2) || a[2].value.isNone())
    return power;
  return g.binary(ast::BinaryOp::Mod, *power, a[2].value, a.range);
}

FailureOr<Value> genDivMod(Generator &g, const BoundArgs &a) {
  FailureOr<Value> quotient = g.binary(ast::BinaryOp::FloorDiv, a[0].value, a[1].value, a.range);
  if (mlir::failed(quotient))
    return failure();
  FailureOr<Value> rest = g.binary(ast::BinaryOp::Mod, a[0].value, a[1].value, a.range);
  if (mlir::failed(rest))
    return failure();
  return Value::tuple({*quotient, *rest});
}

/// `bin(n)`, `oct(n)` and `hex(n)`: "0b101", "-0x1f"
FailureOr<Value> genDigits(Generator &g, const BoundArgs &a) {
  const Constant *number = a[0].value.getConstant();
  if (!number || !(number->isInt() || number->isBool()))
    return g.error(a[0].range, llvm::Twine(a.builtin->name) +
                                   "() needs an integer that is known at compile time, got " +
                                   a[0].value.describe());
  llvm::StringRef letter = llvm::StringRef(a.builtin->name) == "hex"   ? "x"
                           : llvm::StringRef(a.builtin->name) == "oct" ? "o"
                                                                       : "b";
  FoldResult digits = formatConstant(Constant(number->toInt()), letter);
  if (!digits.value)
    return g.toValue(digits, a.range);
  std::string text = digits.value->getString();
  text.insert(text.front() == '-' ? 1 : 0, "0" + letter.str());
  return Value(Constant(std::move(text)));
}

/// `n.bit_length()`
FailureOr<Value> genBitLength(Generator &g, const BoundArgs &a) {
  FailureOr<int64_t> number = g.toInteger(a[0].value, a.range, "the number");
  if (mlir::failed(number))
    return failure();
  uint64_t magnitude = *number < 0 ? 0 - static_cast<uint64_t>(*number) : *number;
  return Value::integer(magnitude == 0 ? 0 : llvm::Log2_64(magnitude) + 1);
}

/// Python's any() and all() of compile-time values.
template <bool isAll> FailureOr<Value> genAnyAll(Generator &g, const BoundArgs &a) {
  FailureOr<std::vector<Value>> items = g.enumerateIterable(a[0].value, a[0].range);
  if (mlir::failed(items))
    return failure();
  for (const Value &item : *items) {
    FailureOr<bool> truth = g.toBool(item, a[0].range, "an element");
    if (mlir::failed(truth))
      return failure();
    if (*truth != isAll)
      return Value::boolean(!isAll);
  }
  return Value::boolean(isAll);
}

FailureOr<Value> genPythonAbs(Generator &g, const BoundArgs &a) {
  if (!a[0].value.isNumber())
    return g.call(BuiltinValue{findBuiltin("abs", inLanguage)}, CallArg{"", a[0].value, a[0].range},
                  a.range);
  FailureOr<Value> isNegative =
      g.compare(ast::CompareOp::Lt, a[0].value, Value::integer(0), a.range);
  if (mlir::failed(isNegative))
    return failure();
  return isNegative->getConstant()->isTrue() ? g.unary(ast::UnaryOp::Minus, a[0].value, a.range)
                                             : FailureOr<Value>(a[0].value);
}

/// `zip(a, b, ...)` and `enumerate(a, start)`, as tuples.
FailureOr<Value> genZip(Generator &g, const BoundArgs &a) {
  FailureOr<std::vector<std::vector<Value>>> rows = getRows(g, a);
  if (mlir::failed(rows))
    return failure();
  std::vector<Value> tuples;
  for (std::vector<Value> &row : *rows)
    tuples.push_back(Value::tuple(std::move(row)));
  return g.makeTuple(std::move(tuples), a.range);
}

FailureOr<Value> genEnumerate(Generator &g, const BoundArgs &a) {
  FailureOr<std::vector<Value>> items = g.enumerateIterable(a[0].value, a[0].range);
  FailureOr<int64_t> start = a.has(1) ? g.toInteger(a[1].value, a[1].range, "the start") : 0;
  if (mlir::failed(items) || mlir::failed(start))
    return failure();
  std::vector<Value> rows;
  int64_t last;
  if (__builtin_add_overflow(*start, static_cast<int64_t>(items->size()), &last))
    return g.error(a[1].range, "the start is too large");
  for (auto [index, item] : llvm::enumerate(*items))
    rows.push_back(Value::tuple({Value::integer(*start + static_cast<int64_t>(index)), item}));
  return g.makeTuple(std::move(rows), a.range);
}

FailureOr<Value> genReversed(Generator &g, const BoundArgs &a) {
  FailureOr<std::vector<Value>> items = g.enumerateIterable(a[0].value, a[0].range);
  if (mlir::failed(items))
    return failure();
  std::reverse(items->begin(), items->end());
  return Value::tuple(std::move(*items));
}

/// With the options of `tl.range`, which kernels give to it as well.
FailureOr<Value> genPythonRange(Generator &g, const BoundArgs &a) {
  return getHandler(*findBuiltin("range", inLanguage))(g, a);
}

constexpr Handler pythonHandlers[] = {
    {"len", inPython, genLen},
    {"int", inPython, genInt},
    {"float", inPython, genFloat},
    {"bool", inPython, genBool},
    {"str", inPython, genStr<false>},
    {"repr", inPython, genStr<true>},
    {"min", inPython, genPythonMinMax<false>},
    {"max", inPython, genPythonMinMax<true>},
    {"sum", inPython, genSum},
    {"tuple", inPython, genTuple},
    {"list", inPython, genTuple},
    {"print", inPython, genPrint},
    {"hasattr", inPython, genHasAttr},
    {"getattr", inPython, genGetAttr},
    {"range", inPython, genPythonRange},
    {"filter", inPython, genFilter},
    {"abs", inPython, genPythonAbs},
    {"any", inPython, genAnyAll<false>},
    {"all", inPython, genAnyAll<true>},
    {"zip", inPython, genZip},
    {"enumerate", inPython, genEnumerate},
    {"reversed", inPython, genReversed},
    {"sorted", inPython, genSorted},
    {"map", inPython, genPythonMap},
    {"round", inPython, genRound},
    {"pow", inPython, genPythonPow},
    {"divmod", inPython, genDivMod},
    {"bin", inPython, genDigits},
    {"oct", inPython, genDigits},
    {"hex", inPython, genDigits},
    {"bit_length", asIntMethod, genBitLength},
};

} // namespace

llvm::ArrayRef<Handler> getPythonHandlers() { return pythonHandlers; }

} // namespace tilec::irgen
