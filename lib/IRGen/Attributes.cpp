// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes: members of modules, properties and methods of program values, types and tuples.

#include "Trial.h"

namespace tilec::irgen {

/// What a function or class is called.
static std::optional<std::string> getOwnName(const Value &value) {
  if (const FunctionValue *function = value.getIf<FunctionValue>())
    return function->function->name.str();
  if (const ClassValue *type = value.getIf<ClassValue>())
    return type->name;
  if (const BuiltinValue *builtin = value.getIf<BuiltinValue>())
    return builtin->builtin->name.str();
  if (const TypeNameValue *type = value.getIf<TypeNameValue>())
    return type->name;
  return std::nullopt;
}

/// The method of a compile-time value, or a function that belongs to another one
/// (`itertools.chain.from_iterable`).
static std::optional<Value> findBuiltinMember(const Value &base, llvm::StringRef name) {
  if (const BuiltinValue *function = base.getIf<BuiltinValue>()) {
    std::string member = (function->builtin->name + "." + name).str();
    const LanguageFunction *found =
        function->self ? nullptr : findBuiltin(member, function->builtin->places);
    return found ? std::optional<Value>(BuiltinValue{found}) : std::nullopt;
  }
  const Constant *constant = base.getConstant();
  unsigned place = base.getIf<SetValue>()             ? asSetMethod
                   : base.getIf<DictValue>()          ? asDictMethod
                   : constant && constant->isInt()    ? asIntMethod
                   : constant && constant->isString() ? asTextMethod
                                                      : 0;
  if (const LanguageFunction *builtin = findBuiltin(name, place))
    return Value(BuiltinValue{builtin, std::make_shared<const Value>(base)});
  return std::nullopt;
}

/// What compile-time values have beside their methods: `__name__`, and what makes of a constexpr
/// object its value or type.
static std::optional<Value> findConstantMember(const Value &base, llvm::StringRef name) {
  if (name == "__name__")
    if (std::optional<std::string> own = getOwnName(base))
      return Value(Constant(std::move(*own)));
  const Constant *constant = base.getConstant();
  bool isTuple = base.getTuple() && !base.isAggregate();
  // `values` is what library functions find in tuples.
  if ((name == "value" && (constant || isTuple)) || (name == "values" && isTuple))
    return base;
  if (name == "type" && (constant || isTuple) && !hasProgramValues(base))
    return makeConstexprType(base);
  return std::nullopt;
}

static Value makeShape(llvm::ArrayRef<int64_t> shape) {
  std::vector<Value> dims;
  for (int64_t dim : shape)
    dims.push_back(Value::integer(dim));
  return Value::tuple(std::move(dims));
}

/// The bits of the mantissa, and the bias of the exponent.
static std::pair<int, int> getFloatFormat(ScalarKind kind) {
  switch (kind) {
  case ScalarKind::FP8E4NV:
    return {3, 7};
  case ScalarKind::FP8E4B8:
    return {3, 8};
  case ScalarKind::FP8E4B15:
    return {3, 15};
  case ScalarKind::FP8E5:
    return {2, 15};
  case ScalarKind::FP8E5B16:
    return {2, 16};
  case ScalarKind::FP16:
    return {10, 15};
  case ScalarKind::BF16:
    return {7, 127};
  case ScalarKind::FP64:
    return {52, 1023};
  default:
    return {23, 127};
  }
}

static FailureOr<Value> getMethod(Generator &g, const Value &self, llvm::StringRef name,
                                  SourceRange range) {
  auto bound = std::make_shared<const Value>(self);
  if (const LanguageFunction *builtin = findBuiltin(name, asMethod))
    return Value(BuiltinValue{builtin, bound});
  if (isLibraryMethod(name)) {
    const SourceModule &library = getLibraryModule();
    if (const ModuleBinding *binding = library.scope.find(name))
      return Value(FunctionValue{binding->function, &library, bound});
  }
  std::vector<llvm::StringRef> candidates = getBuiltinNames(asMethod);
  for (llvm::StringRef candidate : getLibraryModule().scope.getNames())
    if (isLibraryMethod(candidate))
      candidates.push_back(candidate);
  for (llvm::StringRef property : {"dtype", "shape", "type", "numel", "T"})
    candidates.push_back(property);
  return g.errorUnknown(range,
                        "a value of type " + self.describe() + " has no attribute '" + name + "'",
                        name, candidates);
}

static FailureOr<Value> getConfigAttribute(Generator &g, const DictValue &config, const Value &self,
                                           llvm::StringRef name, SourceRange range) {
  if (name == "kwargs")
    return self;
  for (const auto &[key, value] : *config.entries)
    if (key == name && (name.starts_with("num_") || name == "split_k"))
      return value;
  if (name == "split_k")
    return Value::none();
  if (name == "num_warps" || name == "num_stages" || name == "num_ctas")
    return Value::integer(name == "num_warps" ? 4 : name == "num_stages" ? 3 : 1);
  return g.error(range, self.describe() + " has no attribute '" + name + "'");
}

static FailureOr<Value> getRuntimeAttribute(Generator &g, const RuntimeValue &base,
                                            const Value &self, llvm::StringRef name,
                                            SourceRange range) {
  const Type &type = base.type;
  if (name == "dtype")
    return Value(Constant(type.element));
  if (name == "shape")
    return makeShape(type.shape);
  if (name == "type")
    return type.isBlock() ? Value(BlockTypeValue{type}) : Value(Constant(type.element));
  if (name == "numel")
    return Value::integer(type.getNumElements());
  if (name == "T") {
    if (type.getRank() != 2)
      return g.error(range, "'.T' needs a block of rank 2, got " + type.str());
    return g.permute(self, {1, 0});
  }
  return getMethod(g, self, name, range);
}

static FailureOr<Value> getBlockAccessAttribute(Generator &g, const BlockAccessValue &base,
                                                const Value &self, llvm::StringRef name,
                                                SourceRange range) {
  // The type of what a block pointer points to is often asked through it.
  if (base.kind == BlockAccessValue::Kind::BlockPointer && (name == "dtype" || name == "type"))
    return Value(Constant(DType::pointerTo(base.block.element.getKind(), base.isConst)));
  if (base.kind == BlockAccessValue::Kind::BlockPointer) {
    if (name == "advance" || name == "store")
      return Value(
          BuiltinValue{findBuiltin(name, inLanguage), std::make_shared<const Value>(self)});
    return g.error(range, "a block pointer has no attribute '" + name +
                              "'; use tl.load, tl.store and tl.advance");
  }
  enum { Handle, Shape, Strides };
  const std::vector<Value> &parts = *base.parts->getTuple();
  if (name == "shape")
    return parts[Shape];
  if (name == "strides")
    return parts[Strides];
  if (name == "block_shape")
    return makeShape(base.block.shape);
  if (name == "block_type")
    return Value(BlockTypeValue{base.block});
  if (name == "dtype")
    return Value(Constant(base.block.element));
  if (const LanguageFunction *builtin = findBuiltin(name, asDescriptorMethod))
    return Value(BuiltinValue{builtin, std::make_shared<const Value>(self)});
  std::vector<llvm::StringRef> candidates = getBuiltinNames(asDescriptorMethod);
  for (llvm::StringRef property : {"shape", "strides", "block_shape", "block_type", "dtype"})
    candidates.push_back(property);
  return g.errorUnknown(range, "a tensor descriptor has no attribute '" + name + "'", name,
                        candidates);
}

static FailureOr<Value> getTypeAttribute(Generator &g, const Type &type, const Value &self,
                                         llvm::StringRef name, SourceRange range) {
  DType element = type.element;
  if (name == "scalar")
    return Value(Constant(element));
  if (name == "element_ty") {
    if (type.isBlock())
      return Value(Constant(element));
    if (element.isPointer())
      return Value(Constant(element.getElement()));
    return g.error(range, "type " + type.str() + " has no element type");
  }
  if (name == "primitive_bitwidth" || name == "int_bitwidth")
    return Value::integer(element.getBitWidth());
  if (name == "itemsize")
    return Value::integer((element.getBitWidth() + 7) / 8);
  if (element.isFloat() && (name == "fp_mantissa_width" || name == "exponent_bias")) {
    auto [mantissa, bias] = getFloatFormat(element.getKind());
    return Value::integer(name == "exponent_bias" ? bias : mantissa);
  }
  if (name == "shape")
    return makeShape(type.shape);
  if (name == "numel")
    return Value::integer(type.getNumElements());
  if (name == "name")
    return Value(Constant(element.str()));
  if (const LanguageFunction *builtin = findBuiltin(name, asTypeMethod))
    return Value(BuiltinValue{builtin, std::make_shared<const Value>(self)});
  std::vector<llvm::StringRef> candidates = getBuiltinNames(asTypeMethod);
  for (llvm::StringRef property :
       {"scalar", "element_ty", "primitive_bitwidth", "int_bitwidth", "fp_mantissa_width",
        "exponent_bias", "itemsize", "shape", "numel", "name"})
    candidates.push_back(property);
  return g.errorUnknown(range, "type " + type.str() + " has no attribute '" + name + "'", name,
                        candidates);
}

FailureOr<Value> Generator::getAttribute(const Value &base, llvm::StringRef name,
                                         SourceRange range) {
  if (base.isPoison())
    return failure();
  if (const ModuleValue *module = base.getIf<ModuleValue>())
    return modules.getMember(*module, name, range);
  if (const RuntimeValue *runtime = base.getRuntime())
    return getRuntimeAttribute(*this, *runtime, base, name, range);
  if (const BlockTypeValue *type = base.getIf<BlockTypeValue>())
    return getTypeAttribute(*this, type->type, base, name, range);
  if (const BlockAccessValue *access = base.getIf<BlockAccessValue>())
    return getBlockAccessAttribute(*this, *access, base, name, range);
  if (const ClassValue *type = base.getIf<ClassValue>())
    return getClassAttribute(*type, base, name, range);
  if (base.getFields()) {
    bool found = false;
    FailureOr<Value> member = getFieldOrMethod(base, name, range, found);
    if (found)
      return member;
  }
  // What would be asked of the type that a number has in the program.
  if (const Value *typed = getTypedConstant(base); typed && typed->isNumber()) {
    FailureOr<DType> type = getDefaultType(*typed->getConstant(), range);
    if (mlir::failed(type))
      return failure();
    return getTypeAttribute(*this, Type(*type), Value(Constant(*type)), name, range);
  }
  const Constant *constant = base.getConstant();
  if (constant && constant->isDType() && name != "value")
    return getTypeAttribute(*this, Type(constant->getDType()), base, name, range);
  if (std::optional<Value> member = findBuiltinMember(base, name))
    return *member;
  if (std::optional<Value> member = findConstantMember(base, name))
    return *member;
  if (const DictValue *config = base.getIf<DictValue>())
    return getConfigAttribute(*this, *config, base, name, range);
  // Methods of numbers are those of their runtime value.
  if (base.isNumber()) {
    FailureOr<Value> runtime = toRuntime(base, range);
    if (mlir::failed(runtime))
      return failure();
    return getRuntimeAttribute(*this, *runtime->getRuntime(), *runtime, name, range);
  }
  return error(range, base.describe() + " has no attribute '" + name + "'");
}

Value Generator::hasAttribute(const Value &base, llvm::StringRef name) {
  Trial trial(*this);
  return Value::boolean(mlir::succeeded(trial->getAttribute(base, name, current)));
}

} // namespace tilec::irgen
