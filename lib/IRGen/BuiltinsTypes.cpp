// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The predicates and limits of types: `dtype.is_floating()`, `dtype.get_int_max_value()`.

#include "Generator.h"

#include "llvm/ADT/StringSwitch.h"

namespace tilec::irgen {
namespace {

/// `dtype.get_int_max_value()` and `get_int_min_value()`
FailureOr<Value> genIntLimit(Generator &g, const BoundArgs &a) {
  const Constant *constant = a[0].value.getConstant();
  DType type = constant ? constant->getDType() : DType();
  bool isMax = llvm::StringRef(a.builtin->name).contains("max");
  if (type.isInt()) {
    unsigned magnitude = type.getBitWidth() - (type.isSignedInt() ? 1 : 0);
    llvm::APInt power = llvm::APInt::getOneBitSet(80, magnitude);
    llvm::APInt least = type.isSignedInt() ? -power : llvm::APInt(80, 0);
    if (std::optional<PyInt> limit = PyInt::fromSigned(isMax ? power - 1 : least))
      return Value(Constant(*limit));
  }
  return g.error(a.range,
                 "'" + a.builtin->name + "' is for integer types, got " + a[0].value.describe());
}

/// Answers `is_...` of a type by the builtin's own name.
FailureOr<Value> genTypePredicate(Generator &g, const BoundArgs &a) {
  Type type;
  if (const BlockTypeValue *block = a[0].value.getIf<BlockTypeValue>())
    type = block->type;
  else
    type = Type(a[0].value.getConstant()->getDType());
  DType t = type.element;
  llvm::StringRef name = a.builtin->name;
  if (name == "is_block")
    return Value::boolean(type.isBlock());
  if (name == "is_ptr")
    return Value::boolean(t.isPointer() && !type.isBlock());
  if (type.isBlock())
    return Value::boolean(false);
  using K = ScalarKind;
  return Value::boolean(llvm::StringSwitch<bool>(name)
                            .Case("is_floating", t.isFloat())
                            .Case("is_standard_floating", t.isFloat() && !t.isFP8())
                            .Case("is_int", t.isInt())
                            .Case("is_int_signed", t.isSignedInt())
                            .Case("is_int_unsigned", t.isUnsignedInt())
                            .Cases({"is_bool", "is_int1"}, t.isBool())
                            .Case("is_int8", t.is(K::Int8))
                            .Case("is_int16", t.is(K::Int16))
                            .Case("is_int32", t.is(K::Int32))
                            .Case("is_int64", t.is(K::Int64))
                            .Case("is_uint8", t.is(K::UInt8))
                            .Case("is_uint16", t.is(K::UInt16))
                            .Case("is_uint32", t.is(K::UInt32))
                            .Case("is_uint64", t.is(K::UInt64))
                            .Case("is_fp8", t.isFP8())
                            .Case("is_fp8e4nv", t.is(K::FP8E4NV))
                            .Case("is_fp8e5", t.is(K::FP8E5))
                            .Case("is_fp8e4b8", t.is(K::FP8E4B8))
                            .Case("is_fp8e5b16", t.is(K::FP8E5B16))
                            .Case("is_fp8e4b15", t.is(K::FP8E4B15))
                            .Case("is_fp16", t.is(K::FP16))
                            .Case("is_bf16", t.is(K::BF16))
                            .Case("is_fp32", t.is(K::FP32))
                            .Case("is_fp64", t.is(K::FP64))
                            .Case("is_void", t.isVoid())
                            .Case("is_const", t.isConstPointer())
                            .Default(false));
}

FailureOr<Value> genConstexprType(Generator &g, const BoundArgs &a) {
  if (hasProgramValues(a[0].value))
    return g.error(a[0].range,
                   "tl.constexpr_type is for values that are known at compile time, got " +
                       a[0].value.describe());
  return makeConstexprType(a[0].value);
}

constexpr Handler typeHandlers[] = {
    {"constexpr_type", inLanguage, genConstexprType},
    {"get_int_max_value", asTypeMethod, genIntLimit},
    {"get_int_min_value", asTypeMethod, genIntLimit},
};

} // namespace

llvm::ArrayRef<Handler> getTypeHandlers() {
  static const std::vector<Handler> all = [] {
    std::vector<Handler> list(std::begin(typeHandlers), std::end(typeHandlers));
    for (const LanguageFunction &row : getLanguage())
      if (row.places & asTypeMethod && row.name.starts_with("is_"))
        list.push_back({row.name, asTypeMethod, genTypePredicate});
    return list;
  }();
  return all;
}

} // namespace tilec::irgen
