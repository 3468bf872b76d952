// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kind of thing a value is: isinstance() and type(). A compile-time value is a tl.constexpr
// and of its Python type at the same time; tuples and lists are one kind.

#include "Generator.h"

#include "llvm/ADT/StringSwitch.h"

namespace tilec::irgen {
namespace {

bool isInstance(const Value &value, llvm::StringRef className) {
  const Constant *constant = value.getConstant();
  const BlockAccessValue *access = value.getIf<BlockAccessValue>();
  bool isDescriptor = access && access->kind == BlockAccessValue::Kind::Descriptor;
  return llvm::StringSwitch<bool>(className)
      .Case("tensor", value.isRuntime())
      .Case("constexpr", constant != nullptr)
      .Case("int", constant && (constant->isInt() || constant->isBool()))
      .Case("float", constant && constant->isFloat())
      .Case("bool", constant && constant->isBool())
      .Case("str", constant && constant->isString())
      .Case("NoneType", value.isNone())
      .Cases({"tensor_descriptor", "tensor_descriptor_base"}, isDescriptor)
      .Case("dtype", constant && constant->isDType())
      .Case("constexpr_type", getTypedConstant(value) != nullptr)
      .Case("pointer_type", constant && constant->isDType() && constant->getDType().isPointer())
      .Case("block_type", value.getIf<BlockTypeValue>() != nullptr)
      .Cases({"tuple", "list"}, value.getTuple() != nullptr)
      .Case("dict", value.getIf<DictValue>() != nullptr)
      .Cases({"set", "frozenset"}, value.getIf<SetValue>() != nullptr)
      .Default(false);
}

/// Whether an object is of a class, or of one that extends it.
bool isObjectOf(const Value &value, const ClassValue &type) {
  FieldsPtr fields = value.getFields();
  if (type.fields->aggregate)
    while (fields && fields->aggregate != type.fields->aggregate)
      fields = fields->base;
  else if (fields && fields != type.fields && type.fields->tupleClass)
    return fields->tupleClass == type.fields->tupleClass;
  return fields && (type.fields->aggregate || fields == type.fields);
}

FailureOr<Value> genIsInstance(Generator &g, const BoundArgs &a) {
  const std::vector<Value> *classes = a[1].value.getTuple();
  std::vector<Value> single{a[1].value};
  bool result = false;
  for (const Value &candidate : classes ? *classes : single) {
    const BuiltinValue *builtin = candidate.getIf<BuiltinValue>();
    // What the host passes as a tensor is a pointer here.
    if (const ModuleValue *module = candidate.getIf<ModuleValue>();
        module && module->path == "torch.Tensor") {
      const RuntimeValue *runtime = a[0].value.getRuntime();
      result |= runtime && runtime->type.element.isPointer();
      continue;
    }
    if (const ClassValue *type = candidate.getIf<ClassValue>(); type && type->fields) {
      result |= isObjectOf(a[0].value, *type);
      continue;
    }
    if (const TypeNameValue *type = candidate.getIf<TypeNameValue>()) {
      result |= isInstance(a[0].value, type->name);
      continue;
    }
    if (!builtin)
      return g.error(a[1].range, "isinstance() needs a class such as tl.tensor or tl.constexpr, "
                                 "got " +
                                     candidate.describe());
    result |= isInstance(a[0].value, builtin->builtin->name);
  }
  return Value::boolean(result);
}

llvm::StringRef getTypeName(const Value &value) {
  if (const Constant *constant = value.getConstant())
    return constant->isDType() && constant->getDType().isPointer() ? "pointer_type"
                                                                   : constant->getTypeName();
  if (const BlockAccessValue *access = value.getIf<BlockAccessValue>())
    return access->kind == BlockAccessValue::Kind::Descriptor ? "tensor_descriptor"
                                                              : "block_pointer";
  return value.isRuntime()               ? "tensor"
         : value.getTuple()              ? "tuple"
         : value.getIf<DictValue>()      ? "dict"
         : value.getIf<SetValue>()       ? "set"
         : value.getIf<BlockTypeValue>() ? "block_type"
         : value.getIf<RangeValue>()     ? "range"
         : value.getIf<ModuleValue>()    ? "module"
         : value.getIf<ClassValue>()     ? "type"
         : value.getIf<TypeNameValue>()  ? "type"
                                         : "function";
}

/// `type(x)`
FailureOr<Value> genType(Generator &, const BoundArgs &a) {
  const Value &value = a[0].value;
  if (FieldsPtr fields = value.getFields()) {
    const ast::ClassDef *classDef = fields->aggregate ? fields->aggregate : fields->tupleClass;
    return Value(
        ClassValue{classDef, fields->module, classDef ? classDef->name.str() : "tuple", fields});
  }
  return Value(TypeNameValue{getTypeName(value).str(), value.getConstant() != nullptr});
}

constexpr Handler classHandlers[] = {
    {"isinstance", inPython, genIsInstance},
    {"type", inPython, genType},
};

} // namespace

std::optional<bool> compareClasses(const Value &lhs, const Value &rhs) {
  const TypeNameValue *type = lhs.getIf<TypeNameValue>();
  const Value &other = type ? rhs : lhs;
  if (!type)
    type = rhs.getIf<TypeNameValue>();
  if (!type)
    return std::nullopt;
  if (const TypeNameValue *otherType = other.getIf<TypeNameValue>())
    return type->name == otherType->name;
  const BuiltinValue *builtin = other.getIf<BuiltinValue>();
  if (!builtin)
    return false;
  llvm::StringRef name = builtin->builtin->name;
  return name == type->name || (name == "constexpr" && type->isConstexpr) ||
         (name == "list" && type->name == "tuple");
}

llvm::ArrayRef<Handler> getClassHandlers() { return classHandlers; }

} // namespace tilec::irgen
