// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compile-time values as what is needed of them: integers, types, elements. Elements of sets and
// keys of dicts are found by a text that equal ones have in common.

#include "Builtins.h"
#include "Collections.h"
#include "Evaluation.h"

#include "tilec/Support/CodePoints.h"

#include <cmath>

namespace tilec::irgen {

FailureOr<int64_t> Evaluation::toInteger(const Value &value, SourceRange range,
                                         const llvm::Twine &what) {
  const Constant *constant = value.getConstant();
  if (value.isPoison())
    return failure();
  if (!constant || !(constant->isInt() || constant->isBool())) {
    if (value.isRuntime())
      return error(range, what + " must be known at compile time, got a runtime value of type " +
                              value.describe());
    return error(range, what + " must be an integer, got " + value.describe());
  }
  PyInt number = constant->toInt();
  if (!number.fitsInt64())
    return error(range, what + " " + number.str() + " does not fit in 64 bits");
  return number.toInt64Saturated();
}

FailureOr<llvm::SmallVector<int64_t>> Evaluation::toIntegers(const Value &value, SourceRange range,
                                                             const llvm::Twine &what) {
  llvm::SmallVector<int64_t> numbers;
  const std::vector<Value> *elements = value.getTuple();
  std::vector<Value> single{value};
  for (const Value &element : elements ? *elements : single) {
    FailureOr<int64_t> number = toInteger(element, range, what);
    if (mlir::failed(number))
      return failure();
    numbers.push_back(*number);
  }
  return numbers;
}

FailureOr<bool> Evaluation::toBool(const Value &value, SourceRange range, const llvm::Twine &what) {
  if (value.isPoison())
    return failure();
  if (const Constant *constant = value.getConstant())
    return constant->isTrue();
  if (const std::vector<Value> *elements = value.getTuple())
    return !elements->empty();
  if (const DictValue *dict = value.getIf<DictValue>())
    return !dict->entries->empty();
  if (const SetValue *set = value.getIf<SetValue>())
    return !set->entries->empty();
  if (value.isRuntime())
    return error(range, what + " must be known at compile time, got a runtime value of type " +
                            value.describe());
  return true;
}

FailureOr<std::string> Evaluation::toString(const Value &value, SourceRange range,
                                            const llvm::Twine &what) {
  if (value.isPoison())
    return failure();
  const Constant *constant = value.getConstant();
  if (!constant || !constant->isString())
    return error(range, what + " must be a string, got " + value.describe());
  return constant->getString();
}

FailureOr<DType> Evaluation::toDType(const Value &value, SourceRange range,
                                     const llvm::Twine &what) {
  if (value.isPoison())
    return failure();
  const Constant *constant = value.getConstant();
  if (const Value *typed = getTypedConstant(value); typed && typed->isNumber())
    return getDefaultType(*typed->getConstant(), range);
  if (!constant || !constant->isDType())
    return error(range, what + " must be a type such as tl.float32, got " + value.describe());
  return constant->getDType();
}

FailureOr<Value> Evaluation::toValue(const FoldResult &folded, SourceRange range) {
  if (!folded.value)
    return error(range, folded.error);
  return Value(*folded.value);
}

FailureOr<DType> Evaluation::getDefaultType(const Constant &number, SourceRange range) {
  if (number.isBool())
    return DType(ScalarKind::Int1);
  if (number.isInt()) {
    PyInt value = number.toInt();
    for (ScalarKind kind :
         {ScalarKind::Int32, ScalarKind::UInt32, ScalarKind::Int64, ScalarKind::UInt64}) {
      DType type(kind);
      if (value.fits(type.getBitWidth(), type.isSignedInt()))
        return type;
    }
    return error(range, "integer " + value.str() + " does not fit in 64 bits");
  }
  double magnitude = std::abs(number.getFloat());
  bool single = magnitude == 0.0 || !std::isfinite(magnitude) ||
                (magnitude >= 0x1p-126 && magnitude <= 0x1.fffffep127);
  return DType(single ? ScalarKind::FP32 : ScalarKind::FP64);
}

FailureOr<Value> Evaluation::makeTuple(std::vector<Value> elements, SourceRange range) {
  size_t weight = elements.size();
  for (const Value &element : elements)
    if (const Constant *constant = element.getConstant(); constant && constant->isString())
      weight += constant->getString().size() / 4;
  charge(weight);
  Value tuple = Value::tuple(std::move(elements));
  if (tuple.getIf<TupleValue>()->totalSize > TupleValue::sizeLimit)
    return error(range, "a tuple of more than " + llvm::Twine(TupleValue::sizeLimit) + " elements");
  return tuple;
}

FailureOr<std::vector<Value>> Evaluation::enumerateIterable(const Value &iterable,
                                                            SourceRange range) {
  if (const std::vector<Value> *elements = iterable.getTuple()) {
    charge(elements->size());
    return *elements;
  }
  std::vector<Value> values;
  if (const DictValue *dict = iterable.getIf<DictValue>()) {
    charge(dict->entries->size());
    for (size_t i = 0; i < dict->entries->size(); ++i)
      values.push_back(getDictKey(*dict, i));
    return values;
  }
  if (const SetValue *set = iterable.getIf<SetValue>()) {
    charge(set->entries->size());
    for (const auto &entry : *set->entries)
      values.push_back(entry.second);
    return values;
  }
  if (const Constant *text = iterable.getConstant(); text && text->isString()) {
    charge(text->getString().size());
    for (llvm::StringRef piece : splitCodePoints(text->getString()))
      values.push_back(Value(Constant(piece.str())));
    return values;
  }
  const RangeValue *rangeValue = iterable.getIf<RangeValue>();
  if (!rangeValue)
    return error(range, "expected a tuple, a string or a range of compile-time numbers, got " +
                            iterable.describe());
  int64_t bounds[3];
  static constexpr llvm::StringRef names[] = {"the start of the range", "the end of the range",
                                              "the step of the range"};
  for (int i = 0; i < 3; ++i) {
    FailureOr<int64_t> bound = toInteger((*rangeValue->bounds)[i], range, names[i]);
    if (mlir::failed(bound))
      return failure();
    bounds[i] = *bound;
  }
  if (bounds[2] == 0)
    return error(range, "the step of a range must not be zero");
  for (int64_t i = bounds[0]; bounds[2] > 0 ? i < bounds[1] : i > bounds[1];) {
    if (values.size() >= options.unrollLimit)
      return error(range, "a compile-time range of more than " + llvm::Twine(options.unrollLimit) +
                              " elements ('--max-unroll' is the limit)");
    values.push_back(Value::integer(i));
    if (__builtin_add_overflow(i, bounds[2], &i))
      break;
  }
  charge(values.size());
  return values;
}

//===- Keys ---------------------------------------------------------------------------------===//

/// The text of what is itself and nothing else, such as a function.
static std::string keyOfIdentity(const void *identity) {
  return "\2" + std::to_string(reinterpret_cast<uintptr_t>(identity));
}

static std::optional<std::string> keyOfFunction(const Value &value) {
  const FunctionValue *function = value.getIf<FunctionValue>();
  const BuiltinValue *builtin = value.getIf<BuiltinValue>();
  if (function && !function->self && function->definedIn == 0)
    return keyOfIdentity(function->function);
  if (builtin && !builtin->self)
    return keyOfIdentity(builtin->builtin);
  if (const ClassValue *type = value.getIf<ClassValue>(); type && type->classDef)
    return keyOfIdentity(type->classDef);
  if (const TypeNameValue *type = value.getIf<TypeNameValue>())
    if (const LanguageFunction *known = findBuiltin(type->name, inPython | inLanguage))
      return keyOfIdentity(known);
  return std::nullopt;
}

FailureOr<std::string> Evaluation::toDictKey(const Value &value, SourceRange range,
                                             const llvm::Twine &what) {
  if (value.isPoison())
    return failure();
  if (const std::vector<Value> *parts = value.getTuple()) {
    // The tables of tl.extern_elementwise have tuples of types.
    std::string text = "(";
    for (const Value &part : *parts) {
      const Constant *constant = part.getConstant();
      FailureOr<std::string> key = constant && constant->isDType() ? constant->getDType().str()
                                   : constant && constant->isString()
                                       ? constant->repr()
                                       : toDictKey(part, range, what);
      if (mlir::failed(key))
        return failure();
      text += (text.size() > 1 ? ", " : "") + *key;
    }
    return text + ")";
  }
  if (std::optional<std::string> key = keyOfFunction(value))
    return *key;
  const Constant *constant = value.getConstant();
  if (!constant)
    return error(range, what + " must be known at compile time, got " + value.describe());
  if (constant->isString())
    return constant->getString();
  // No string is written like that. Equal numbers of different types are one key.
  double number = constant->isNumber() ? constant->toDouble() : 0.5;
  if (std::abs(number) < 0x1p53 && number == std::trunc(number))
    return "\1" + std::to_string(int64_t(number));
  return "\1" + constant->repr();
}

FailureOr<const Value *> Evaluation::findInDict(const DictValue &dict, const Value &key,
                                                SourceRange range) {
  charge(dict.entries->size());
  FailureOr<std::string> text = toDictKey(key, range);
  if (mlir::failed(text))
    return failure();
  for (const auto &[known, value] : *dict.entries)
    if (known == *text)
      return &value;
  return static_cast<const Value *>(nullptr);
}

FailureOr<bool> Evaluation::isInSet(const SetValue &set, const Value &element, SourceRange range) {
  charge(set.entries->size());
  FailureOr<std::string> text = toDictKey(element, range, "what is looked up in a set");
  if (mlir::failed(text))
    return failure();
  return llvm::any_of(*set.entries, [&](const auto &entry) { return entry.first == *text; });
}

} // namespace tilec::irgen
