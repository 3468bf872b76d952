// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomics: one function for all read-modify-write kinds, which finds the kind by the builtin's
// name, one for compare-and-swap, and one for single loads and stores.

#include "BlockPointer.h"

#include "llvm/ADT/StringSwitch.h"

namespace tilec::irgen {

tile::AtomicKind getAtomicKind(llvm::StringRef name, DType element) {
  using tile::AtomicKind;
  bool isUnsigned = element.isUnsignedInt();
  return llvm::StringSwitch<AtomicKind>(name)
      .Case("atomic_add", AtomicKind::add)
      .Case("atomic_max", isUnsigned ? AtomicKind::umax : AtomicKind::max)
      .Case("atomic_min", isUnsigned ? AtomicKind::umin : AtomicKind::min)
      .Case("atomic_and", AtomicKind::bit_and)
      .Case("atomic_or", AtomicKind::bit_or)
      .Case("atomic_xor", AtomicKind::bit_xor)
      .Default(AtomicKind::xchg);
}

namespace {

/// The pointer operand; its element type may be changed by the program, unless it only loads.
FailureOr<Value> getTarget(Generator &g, const BoundArgs &a, bool isLoad = false) {
  std::string name = "'" + a.builtin->getDisplayName() + "'";
  const RuntimeValue *pointer = a[0].value.getRuntime();
  if (!pointer || !pointer->type.element.isPointer())
    return g.error(a[0].range, name + " needs a pointer, got " + a[0].value.describe());
  if (pointer->type.element.isConstPointer() && !isLoad)
    return g.error(a[0].range, name + " cannot write through a const pointer");
  return a[0].value;
}

/// An operand cast to `element` and broadcast to the pointer's shape.
FailureOr<mlir::Value> getOperand(Generator &g, const BoundArg &arg, const Type &pointer,
                                  DType element, llvm::StringRef what) {
  FailureOr<Value> full = getAccessOperand(g, arg, pointer, element, what);
  if (mlir::failed(full))
    return failure();
  return full->getRuntime()->value;
}

/// A keyword of one of two sets: what the attribute's enum has.
template <typename EnumT>
FailureOr<EnumT> getKeyword(Generator &g, const BoundArgs &a, unsigned index, llvm::StringRef what,
                            std::optional<EnumT> (*symbolize)(llvm::StringRef),
                            llvm::ArrayRef<llvm::StringRef> names, EnumT fallback) {
  if (!a.has(index))
    return fallback;
  FailureOr<std::string> text = g.toString(a[index].value, a[index].range, "'" + what + "'");
  if (mlir::failed(text))
    return failure();
  if (std::optional<EnumT> value = symbolize(*text); value && llvm::is_contained(names, *text))
    return *value;
  std::string list;
  for (llvm::StringRef name : names)
    list += (list.empty() ? "'" : ", '") + name.str() + "'";
  return g.errorUnknown(a[index].range, what + " '" + *text + "' is none of " + list, *text, names);
}

FailureOr<tile::MemSemantic> getSemantic(Generator &g, const BoundArgs &a, unsigned index) {
  return getKeyword<tile::MemSemantic>(g, a, index, "sem", tile::symbolizeMemSemantic,
                                       {"acq_rel", "acquire", "release", "relaxed"},
                                       tile::MemSemantic::acq_rel);
}

FailureOr<tile::MemScope> getScope(Generator &g, const BoundArgs &a, unsigned index) {
  return getKeyword<tile::MemScope>(g, a, index, "scope", tile::symbolizeMemScope,
                                    {"gpu", "cta", "sys"}, tile::MemScope::gpu);
}

/// Element types that a kind has, for messages.
llvm::StringRef describeTypes(tile::AtomicKind kind) {
  switch (kind) {
  case tile::AtomicKind::add:
    return "32-bit and 64-bit integers, fp16, bf16, fp32 and fp64";
  case tile::AtomicKind::bit_and:
  case tile::AtomicKind::bit_or:
  case tile::AtomicKind::bit_xor:
    return "32-bit and 64-bit integers";
  default:
    return "32-bit and 64-bit integers, fp32 and fp64";
  }
}

FailureOr<Value> genAtomic(Generator &g, const BoundArgs &a) {
  enum { Pointer, Operand, Mask, Sem, Scope };
  FailureOr<Value> pointer = getTarget(g, a);
  if (mlir::failed(pointer))
    return failure();
  const Type type = pointer->getRuntime()->type;
  DType element = type.element.getElement();
  tile::AtomicKind kind = getAtomicKind(a.builtin->name, element);
  if (!tile::hasAtomic(kind, g.lower(Type(element))))
    return g.error(a[Pointer].range, "'" + a.builtin->getDisplayName() + "' does not support " +
                                         element.str() + "; it has " + describeTypes(kind));
  FailureOr<mlir::Value> value = getOperand(g, a[Operand], type, element, "the value");
  FailureOr<mlir::Value> mask = mlir::Value();
  if (a.has(Mask))
    mask = getOperand(g, a[Mask], type, ScalarKind::Int1, "'mask'");
  FailureOr<tile::MemSemantic> sem = getSemantic(g, a, Sem);
  FailureOr<tile::MemScope> scope = getScope(g, a, Scope);
  if (mlir::failed(value) || mlir::failed(mask) || mlir::failed(sem) || mlir::failed(scope))
    return failure();
  return g.emit<tile::AtomicRMWOp>(type.withElement(element), kind, pointer->getRuntime()->value,
                                   *value, *mask, *sem, *scope);
}

FailureOr<Value> genCas(Generator &g, const BoundArgs &a) {
  enum { Pointer, Compare, Operand, Sem, Scope };
  FailureOr<Value> pointer = getTarget(g, a);
  if (mlir::failed(pointer))
    return failure();
  const Type type = pointer->getRuntime()->type;
  DType element = type.element.getElement();
  if (!tile::hasAtomicCas(g.lower(Type(element))))
    return g.error(a[Pointer].range, "'" + a.builtin->getDisplayName() + "' does not support " +
                                         element.str() + "; it has types of 16, 32 and 64 bits");
  FailureOr<mlir::Value> compare = getOperand(g, a[Compare], type, element, "the expected value");
  FailureOr<mlir::Value> value = getOperand(g, a[Operand], type, element, "the value");
  FailureOr<tile::MemSemantic> sem = getSemantic(g, a, Sem);
  FailureOr<tile::MemScope> scope = getScope(g, a, Scope);
  if (mlir::failed(compare) || mlir::failed(value) || mlir::failed(sem) || mlir::failed(scope))
    return failure();
  return g.emit<tile::AtomicCasOp>(type.withElement(element), pointer->getRuntime()->value,
                                   *compare, *value, mlir::Value(), *sem, *scope);
}

/// `atomic_load` and `atomic_store`. A boolean is a byte in memory.
template <tile::AtomicKind kind> FailureOr<Value> genAccess(Generator &g, const BoundArgs &a) {
  constexpr bool isLoad = kind == tile::AtomicKind::load;
  constexpr unsigned mask = isLoad ? 1 : 2, sem = mask + 1, scope = mask + 2;
  constexpr tile::MemSemantic ordered =
      isLoad ? tile::MemSemantic::acquire : tile::MemSemantic::release;
  FailureOr<Value> pointer = getTarget(g, a, isLoad);
  if (mlir::failed(pointer))
    return failure();
  DType element = pointer->getRuntime()->type.element.getElement();
  if (element.isBool())
    pointer = g.cast(*pointer, DType::pointerTo(ScalarKind::Int8), a[0].range);
  const Type type = pointer->getRuntime()->type;
  DType stored = type.element.getElement();
  if (!tile::hasAtomic(kind, g.lower(Type(stored))))
    return g.error(a[0].range,
                   "'" + a.builtin->getDisplayName() + "' does not support " + element.str());
  FailureOr<mlir::Value> value = g.makeZero(type.withElement(stored)).getRuntime()->value;
  if (!isLoad) {
    BoundArg given = a[1];
    if (FailureOr<Value> converted = g.cast(given.value, element, given.range);
        mlir::succeeded(converted))
      given.value = *converted;
    else
      return failure();
    value = getOperand(g, given, type, stored, "the value");
  }
  FailureOr<mlir::Value> when = mlir::Value();
  if (a.has(mask))
    when = getOperand(g, a[mask], type, ScalarKind::Int1, "'mask'");
  FailureOr<tile::MemSemantic> order =
      getKeyword<tile::MemSemantic>(g, a, sem, "sem", tile::symbolizeMemSemantic,
                                    {tile::stringifyMemSemantic(ordered), "relaxed"}, ordered);
  FailureOr<tile::MemScope> where = getScope(g, a, scope);
  if (mlir::failed(value) || mlir::failed(when) || mlir::failed(order) || mlir::failed(where))
    return failure();
  Value old = g.emit<tile::AtomicRMWOp>(
      type.withElement(stored), kind, pointer->getRuntime()->value, *value, *when, *order, *where);
  return isLoad ? g.cast(old, element, a.range) : FailureOr<Value>(Value::none());
}

constexpr Handler atomicHandlers[] = {
    {"atomic_add", inLanguage, genAtomic},
    {"atomic_max", inLanguage, genAtomic},
    {"atomic_min", inLanguage, genAtomic},
    {"atomic_and", inLanguage, genAtomic},
    {"atomic_or", inLanguage, genAtomic},
    {"atomic_xor", inLanguage, genAtomic},
    {"atomic_xchg", inLanguage, genAtomic},
    {"atomic_load", inLanguage, genAccess<tile::AtomicKind::load>},
    {"atomic_store", inLanguage, genAccess<tile::AtomicKind::store>},
    {"atomic_cas", inLanguage, genCas},
};

} // namespace

llvm::ArrayRef<Handler> getAtomicHandlers() { return atomicHandlers; }

} // namespace tilec::irgen
