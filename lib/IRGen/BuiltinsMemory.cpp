// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores, with the checks on pointers, masks and modifiers.

#include "BlockPointer.h"

#include "llvm/ADT/StringSwitch.h"

namespace tilec::irgen {

FailureOr<Value> getAccessOperand(Generator &g, const BoundArg &arg, const Type &pointer,
                                  DType element, llvm::StringRef what) {
  FailureOr<Value> value = g.cast(arg.value, element, arg.range);
  if (mlir::failed(value))
    return failure();
  const Type &type = value->getRuntime()->type;
  bool fits = Emitter::canBroadcast(type.shape, pointer.shape);
  if (!fits)
    return g.error(arg.range,
                   what + " has shape " + printShape(type.shape) +
                       (pointer.isBlock() ? ", which cannot be broadcast to the pointer's shape " +
                                                printShape(pointer.shape)
                                          : " but the pointer is a scalar"));
  return g.broadcastTo(*value, pointer.shape, arg.range);
}

namespace {

/// The pointer operand as a runtime value of pointer type.
FailureOr<Value> getPointer(Generator &g, const BoundArgs &a) {
  const RuntimeValue *pointer = a[0].value.getRuntime();
  if (pointer && pointer->type.element.isPointer())
    return a[0].value;
  return g.error(a[0].range, "'" + a.builtin->getDisplayName() + "' needs a pointer, got " +
                                 a[0].value.describe());
}

FailureOr<tile::CacheModifier> getCacheModifier(Generator &g, const BoundArgs &a, unsigned index,
                                                llvm::StringRef allowed) {
  if (!a.has(index))
    return tile::CacheModifier::none;
  FailureOr<std::string> text = g.toString(a[index].value, a[index].range, "'cache_modifier'");
  if (mlir::failed(text))
    return failure();
  if (text->empty())
    return tile::CacheModifier::none;
  llvm::StringRef name = *text;
  name.consume_front(".");
  std::optional<tile::CacheModifier> modifier = tile::symbolizeCacheModifier(name);
  llvm::SmallVector<llvm::StringRef> names;
  allowed.split(names, ' ');
  if (!modifier || !llvm::is_contained(names, name))
    return g.error(
        a[index].range, "cache modifier '" + *text + "' is none of " + [&] {
          std::string list;
          for (llvm::StringRef entry : names)
            list += (list.empty() ? "'." : ", '.") + entry.str() + "'";
          return list;
        }());
  return *modifier;
}

FailureOr<tile::EvictionPolicy> getEvictionPolicy(Generator &g, const BoundArgs &a,
                                                  unsigned index) {
  if (!a.has(index))
    return tile::EvictionPolicy::normal;
  FailureOr<std::string> text = g.toString(a[index].value, a[index].range, "'eviction_policy'");
  if (mlir::failed(text))
    return failure();
  if (*text == "" || *text == "evict_normal")
    return tile::EvictionPolicy::normal;
  std::optional<tile::EvictionPolicy> policy = tile::symbolizeEvictionPolicy(*text);
  if (!policy || *policy == tile::EvictionPolicy::normal)
    return g.error(a[index].range, "eviction policy '" + *text +
                                       "' is none of 'evict_first', 'evict_last', "
                                       "'evict_normal'");
  return *policy;
}

/// Warns of a mask with fewer dimensions than its pointers where several of those have its size.
void checkMaskShape(Generator &g, const BoundArg &mask, const Type &pointer) {
  const RuntimeValue *runtime = mask.value.getRuntime();
  if (!runtime || !runtime->type.isBlock() || runtime->type.getRank() >= pointer.getRank())
    return;
  int64_t size = runtime->type.shape.back();
  if (size == 1 || llvm::count(pointer.shape, size) < 2)
    return;
  llvm::StringRef text = g.getSources().getText(mask.range);
  bool isName = llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  std::string fixed = (isName ? text.str() : "(" + text.str() + ")") + "[";
  for (int64_t i = runtime->type.getRank(); i < pointer.getRank(); ++i)
    fixed += "None, ";
  Diagnostic *warning = g.warn(warnings::kMaskShape, mask.range,
                               "a mask of shape " + printShape(runtime->type.shape) +
                                   " for pointers of shape " + printShape(pointer.shape) +
                                   " covers the last dimension only; say which is meant "
                                   "with [:, None] or [None, :]");
  if (warning && runtime->type.getRank() == 1)
    warning->setFixIt(mask.range, fixed + ":]");
}

/// Warns of a stored value that does not survive the conversion to the elements of memory.
void checkStoredType(Generator &g, const BoundArg &stored, DType element) {
  const RuntimeValue *runtime = stored.value.getRuntime();
  if (!runtime || element.isBool() || element.isPointer())
    return;
  DType type = runtime->type.element;
  bool isNarrower = type.getBitWidth() > element.getBitWidth();
  std::string text = "storing " + type.str() + " to elements of type " + element.str();
  std::string suggestion = "; say so with .to(ptr.dtype.element_ty)";
  if (type.isFloat() && element.isInt())
    g.warn(warnings::kStoreTruncation, stored.range, text + " drops the fraction" + suggestion);
  else if (type.isInt() && element.isInt() && isNarrower)
    g.warn(warnings::kStoreTruncation, stored.range,
           text + " keeps the low " + llvm::Twine(element.getBitWidth()) + " bits only" +
               suggestion);
  else if (type.isFloat() && element.isFloat() && isNarrower)
    g.warn(warnings::kFloatNarrowing, stored.range, text + " rounds" + suggestion);
}

/// The pointers of an access and which of them are followed: those given, under the `mask`
/// argument if there is one, or those of a block pointer, under its boundary checks.
FailureOr<BlockAddresses> getAddresses(Generator &g, const BoundArgs &a, unsigned maskIndex,
                                       unsigned checkIndex) {
  if (const BlockAccessValue *block = getBlockPointer(a[0].value)) {
    if (a.has(maskIndex))
      return g.error(a[maskIndex].range, "a block pointer takes 'boundary_check', not 'mask'");
    return expandBlockPointer(g, *block, a[checkIndex], a[0].range);
  }
  FailureOr<Value> pointer = getPointer(g, a);
  if (mlir::failed(pointer))
    return failure();
  const std::vector<Value> *dims = a[checkIndex].value.getTuple();
  if (a.has(checkIndex) && !(dims && dims->empty()))
    return g.error(a[checkIndex].range,
                   "'boundary_check' needs a block pointer, got " + a[0].value.describe());
  BlockAddresses result{*pointer, {}};
  if (a.has(maskIndex)) {
    checkMaskShape(g, a[maskIndex], pointer->getRuntime()->type);
    FailureOr<Value> mask =
        getAccessOperand(g, a[maskIndex], pointer->getRuntime()->type, ScalarKind::Int1, "'mask'");
    if (mlir::failed(mask))
      return failure();
    result.mask = mask->getRuntime()->value;
  }
  return result;
}

/// What a masked-off element of a load is: `other`, or the padding of a block pointer; null for
/// zero.
FailureOr<mlir::Value> getOther(Generator &g, const BoundArgs &a, unsigned maskIndex,
                                unsigned otherIndex, unsigned paddingIndex, const Type &pointer) {
  DType element = pointer.element.getElement();
  if (getBlockPointer(a[0].value)) {
    if (a.has(otherIndex))
      return g.error(a[otherIndex].range, "a block pointer takes 'padding_option', not 'other'");
    FailureOr<bool> nan = padsWithNan(g, a[paddingIndex], element);
    if (mlir::failed(nan))
      return failure();
    if (!*nan)
      return mlir::Value();
    Value number = Constant(std::numeric_limits<double>::quiet_NaN());
    FailureOr<Value> scalar = g.cast(number, element, a[paddingIndex].range);
    if (mlir::failed(scalar))
      return failure();
    return g.splat(*scalar, pointer.shape).getRuntime()->value;
  }
  if (!a.has(otherIndex))
    return mlir::Value();
  if (!a.has(maskIndex))
    return g.error(a[otherIndex].range, "'other' is given without 'mask'");
  FailureOr<Value> value = getAccessOperand(g, a[otherIndex], pointer, element, "'other'");
  if (mlir::failed(value))
    return failure();
  return value->getRuntime()->value;
}

FailureOr<Value> genLoad(Generator &g, const BoundArgs &a) {
  enum { Pointer, Mask, Other, BoundaryCheck, Padding, Cache, Eviction, Volatile };
  FailureOr<BlockAddresses> target = getAddresses(g, a, Mask, BoundaryCheck);
  if (mlir::failed(target))
    return failure();
  const Type type = target->pointers.getRuntime()->type;
  DType element = type.element.getElement();
  FailureOr<mlir::Value> other = getOther(g, a, Mask, Other, Padding, type);
  if (mlir::failed(other))
    return failure();
  if (!target->mask)
    other = mlir::Value();
  FailureOr<tile::CacheModifier> cache = getCacheModifier(g, a, Cache, "ca cg cs cv");
  FailureOr<tile::EvictionPolicy> eviction = getEvictionPolicy(g, a, Eviction);
  FailureOr<bool> isVolatile = false;
  if (a.has(Volatile))
    isVolatile = g.toBool(a[Volatile].value, a[Volatile].range, "'volatile'");
  if (mlir::failed(cache) || mlir::failed(eviction) || mlir::failed(isVolatile))
    return failure();
  return g.emit<tile::LoadOp>(type.withElement(element), target->pointers.getRuntime()->value,
                              target->mask, *other, *cache, *eviction, *isVolatile);
}

FailureOr<Value> genStore(Generator &g, const BoundArgs &a) {
  enum { Pointer, Stored, Mask, BoundaryCheck, Cache, Eviction };
  FailureOr<BlockAddresses> target = getAddresses(g, a, Mask, BoundaryCheck);
  if (mlir::failed(target))
    return failure();
  const Type type = target->pointers.getRuntime()->type;
  if (type.element.isConstPointer())
    return g.error(a[0].range, "cannot store through a const pointer");
  checkStoredType(g, a[Stored], type.element.getElement());
  FailureOr<Value> value =
      getAccessOperand(g, a[Stored], type, type.element.getElement(), "the stored value");
  if (mlir::failed(value))
    return failure();
  FailureOr<tile::CacheModifier> cache = getCacheModifier(g, a, Cache, "wb cg cs wt");
  FailureOr<tile::EvictionPolicy> eviction = getEvictionPolicy(g, a, Eviction);
  if (mlir::failed(cache) || mlir::failed(eviction))
    return failure();
  g.create<tile::StoreOp>(target->pointers.getRuntime()->value, value->getRuntime()->value,
                          target->mask, *cache, *eviction);
  return Value::none();
}

constexpr Handler memoryHandlers[] = {
    {"load", inLanguage, genLoad},
    {"store", inLanguage, genStore},
};

} // namespace

llvm::ArrayRef<Handler> getMemoryHandlers() { return memoryHandlers; }

} // namespace tilec::irgen
