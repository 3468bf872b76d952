// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Printing, comparing and taking apart front-end values.

#include "Value.h"

#include "Builtins.h"

namespace tilec::irgen {

int64_t Type::getNumElements() const {
  int64_t count = 1;
  for (int64_t dim : shape)
    count *= dim;
  return count;
}

std::string printShape(llvm::ArrayRef<int64_t> shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

std::string Type::str() const { return element.str() + (isBlock() ? printShape(shape) : ""); }

Value Value::tuple(std::vector<Value> elements, FieldsPtr fields) {
  size_t totalSize = 0;
  unsigned depth = 0;
  for (const Value &element : elements) {
    const TupleValue *nested = element.getIf<TupleValue>();
    totalSize += 1 + (nested ? nested->totalSize : 0);
    depth = std::max(depth, element.getDepth());
  }
  return TupleValue{std::make_shared<const std::vector<Value>>(std::move(elements)), totalSize,
                    std::move(fields), depth + 1};
}

static unsigned getDepthOf(const KeyedValues &entries) {
  unsigned depth = 0;
  for (const auto &[name, value] : entries)
    depth = std::max(depth, value.getDepth());
  return depth;
}

Value Value::dict(KeyedValues entries, std::vector<Value> keys) {
  unsigned depth = getDepthOf(entries) + 1;
  std::shared_ptr<const std::vector<Value>> sharedKeys;
  if (!keys.empty())
    sharedKeys = std::make_shared<const std::vector<Value>>(std::move(keys));
  return DictValue{std::make_shared<const KeyedValues>(std::move(entries)), depth,
                   std::move(sharedKeys)};
}

Value Value::set(KeyedValues entries) {
  unsigned depth = getDepthOf(entries) + 1;
  return SetValue{std::make_shared<const KeyedValues>(std::move(entries)), depth};
}

unsigned Value::getDepth() const {
  if (const TupleValue *tuple = getIf<TupleValue>())
    return tuple->depth;
  if (const DictValue *dict = getIf<DictValue>())
    return dict->depth;
  if (const SetValue *set = getIf<SetValue>())
    return set->depth;
  if (const PartialValue *partial = getIf<PartialValue>())
    return partial->depth;
  if (const FunctionValue *function = getIf<FunctionValue>())
    return function->depth;
  if (const RangeValue *range = getIf<RangeValue>())
    return range->depth;
  return 0;
}

const std::vector<Value> *Value::getTuple() const {
  const TupleValue *tuple = getIf<TupleValue>();
  return tuple ? tuple->elements.get() : nullptr;
}

FieldsPtr Value::getFields() const {
  const TupleValue *tuple = getIf<TupleValue>();
  return tuple ? tuple->fields : nullptr;
}

bool Value::isAggregate() const {
  FieldsPtr fields = getFields();
  return fields && fields->aggregate;
}

/// The class of an aggregate; null for other tuples, which are alike when their elements are.
static const ast::ClassDef *getAggregateClass(const Value &value) {
  FieldsPtr fields = value.getFields();
  return fields ? fields->aggregate : nullptr;
}

std::string Value::describe() const {
  if (const Constant *constant = getConstant()) {
    if (constant->isNone())
      return "None";
    if (constant->isDType())
      return "the type " + constant->str();
    return constant->getTypeName().str() + " " + constant->repr();
  }
  if (const RuntimeValue *runtime = getRuntime())
    return runtime->type.str();
  if (const ast::ClassDef *aggregate = getAggregateClass(*this))
    return "an object of class '" + aggregate->name.str() + "'";
  if (const std::vector<Value> *elements = getTuple())
    return "a tuple of " + std::to_string(elements->size());
  if (const FunctionValue *function = getIf<FunctionValue>())
    return "the function '" + function->function->name.str() + "'";
  if (const BuiltinValue *builtin = getIf<BuiltinValue>())
    return "the function '" + builtin->builtin->getDisplayName() + "'";
  if (const ModuleValue *module = getIf<ModuleValue>())
    return "the module '" + module->path + "'";
  if (const BlockTypeValue *type = getIf<BlockTypeValue>())
    return "the type " + type->type.str();
  if (const BlockAccessValue *access = getIf<BlockAccessValue>())
    return (access->kind == BlockAccessValue::Kind::Descriptor ? "a tensor descriptor of "
                                                               : "a block pointer to ") +
           access->block.str();
  if (const ClassValue *type = getIf<ClassValue>())
    return "the class '" + type->name + "'";
  if (getIf<LambdaValue>())
    return "a lambda";
  if (getIf<DictValue>())
    return "a dict";
  if (getIf<SetValue>())
    return "a set";
  if (getIf<PartialValue>())
    return "a partial function";
  if (const TypeNameValue *type = getIf<TypeNameValue>())
    return "the class '" + type->name + "'";
  if (getIf<RangeValue>())
    return "a range";
  return "an undefined value";
}

std::string getLanguageName(DType type) {
  for (llvm::StringRef name : getLanguageTypeNames())
    if (findLanguageType(name) == type)
      return ("tl." + name).str();
  return "";
}

std::string suggestCast(const Value &first, llvm::StringRef firstName, const Value &second,
                        llvm::StringRef secondName) {
  const RuntimeValue *a = first.getRuntime(), *b = second.getRuntime();
  if (!a || !b || a->type.shape != b->type.shape || a->type == b->type)
    return "";
  DType left = a->type.element, right = b->type.element;
  if (left.isPointer() || right.isPointer())
    return "";
  auto extent = [](DType type) { return std::make_pair(type.isFloat(), type.getBitWidth()); };
  bool keepsLeft = extent(left) > extent(right);
  return ("; cast " + (keepsLeft ? secondName : firstName) + " with .to(" +
          getLanguageName(keepsLeft ? left : right) + ")")
      .str();
}

/// It is a named tuple of fields that nothing else has.
static const FieldsPtr &getConstexprTypeFields() {
  static const FieldsPtr fields = [] {
    auto made = std::make_shared<TupleFields>();
    made->names = {"value"};
    return made;
  }();
  return fields;
}

Value makeConstexprType(const Value &value) {
  return Value::tuple({value}, getConstexprTypeFields());
}

const Value *getTypedConstant(const Value &type) {
  return type.getFields() == getConstexprTypeFields() ? &type.getTuple()->front() : nullptr;
}

static bool isSame(const PoisonValue &, const PoisonValue &) { return true; }
static bool isSame(const Constant &a, const Constant &b) { return a.isIdentical(b); }
static bool isSame(const RuntimeValue &a, const RuntimeValue &b) {
  return a.value == b.value && a.type == b.type;
}
static bool isSame(const TupleValue &a, const TupleValue &b) {
  auto classOf = [](const TupleValue &tuple) {
    return tuple.fields ? tuple.fields->aggregate : nullptr;
  };
  return classOf(a) == classOf(b) &&
         (a.elements == b.elements ||
          std::equal(a.elements->begin(), a.elements->end(), b.elements->begin(), b.elements->end(),
                     isIdentical));
}
static bool isSame(const FunctionValue &a, const FunctionValue &b) {
  return a.function == b.function && a.self == b.self;
}
static bool isSame(const ClassValue &a, const ClassValue &b) {
  return a.classDef == b.classDef && (a.classDef || a.fields == b.fields);
}
static bool isSame(const LambdaValue &a, const LambdaValue &b) { return a.lambda == b.lambda; }
static bool isSame(const BuiltinValue &a, const BuiltinValue &b) {
  return a.builtin == b.builtin && a.self == b.self;
}
static bool isSame(const ModuleValue &a, const ModuleValue &b) { return a.path == b.path; }
static bool isSame(const BlockTypeValue &a, const BlockTypeValue &b) { return a.type == b.type; }
static bool isSame(const BlockAccessValue &a, const BlockAccessValue &b) {
  return a.isSameType(b) && isIdentical(*a.parts, *b.parts);
}
static bool isSame(const RangeValue &a, const RangeValue &b) {
  return a.bounds == b.bounds && a.options == b.options;
}
static bool isSame(const DictValue &a, const DictValue &b) { return a.entries == b.entries; }
static bool isSame(const SetValue &a, const SetValue &b) { return a.entries == b.entries; }
static bool isSame(const PartialValue &a, const PartialValue &b) {
  return a.args == b.args && isIdentical(*a.callee, *b.callee);
}
static bool isSame(const TypeNameValue &a, const TypeNameValue &b) { return a.name == b.name; }

/// Whether both are of one of the kinds, and the same.
template <typename... Kinds>
static bool isSameKind(const Value &lhs, const Value &rhs, const std::variant<Kinds...> *) {
  auto same = [](const auto *a, const auto *b) { return a && b && isSame(*a, *b); };
  return (same(lhs.getIf<Kinds>(), rhs.getIf<Kinds>()) || ...);
}

bool isIdentical(const Value &lhs, const Value &rhs) {
  return isSameKind(lhs, rhs, static_cast<const Value::Storage *>(nullptr));
}

void flatten(const Value &value, llvm::SmallVectorImpl<mlir::Value> &leaves) {
  if (const RuntimeValue *runtime = value.getRuntime())
    leaves.push_back(runtime->value);
  else if (const std::vector<Value> *elements = value.getTuple())
    for (const Value &element : *elements)
      flatten(element, leaves);
  else if (const BlockAccessValue *access = value.getIf<BlockAccessValue>())
    flatten(*access->parts, leaves);
}

/// `seen`: values are shared, and each is looked at once.
static bool hasProgramValues(const Value &value, llvm::DenseSet<const void *> &seen) {
  auto inValue = [&](const std::shared_ptr<const Value> &inner) {
    return inner && seen.insert(inner.get()).second && hasProgramValues(*inner, seen);
  };
  auto inList = [&](const std::shared_ptr<const std::vector<Value>> &list) {
    return list && seen.insert(list.get()).second && llvm::any_of(*list, [&](const Value &element) {
             return hasProgramValues(element, seen);
           });
  };
  auto inEntries = [&](const std::shared_ptr<const KeyedValues> &list) {
    return list && seen.insert(list.get()).second && llvm::any_of(*list, [&](const auto &entry) {
             return hasProgramValues(entry.second, seen);
           });
  };
  if (const auto *tuple = value.getIf<TupleValue>())
    return inList(tuple->elements);
  if (const auto *dict = value.getIf<DictValue>())
    return inEntries(dict->entries);
  if (const auto *function = value.getIf<FunctionValue>())
    return inValue(function->self) || inEntries(function->defaults);
  if (const auto *builtin = value.getIf<BuiltinValue>())
    return inValue(builtin->self);
  if (const auto *access = value.getIf<BlockAccessValue>())
    return inValue(access->parts);
  if (const auto *partial = value.getIf<PartialValue>())
    return inValue(partial->callee) || inEntries(partial->args);
  if (const auto *range = value.getIf<RangeValue>())
    return inList(range->bounds) || inEntries(range->options);
  return value.isRuntime();
}

bool hasProgramValues(const Value &value) {
  llvm::DenseSet<const void *> seen;
  return hasProgramValues(value, seen);
}

Value rebuild(const Value &value, llvm::ArrayRef<mlir::Value> &leaves) {
  if (const RuntimeValue *runtime = value.getRuntime()) {
    mlir::Value leaf = leaves.front();
    leaves = leaves.drop_front();
    return Value::runtime(leaf, runtime->type);
  }
  if (const BlockAccessValue *access = value.getIf<BlockAccessValue>()) {
    BlockAccessValue rebuilt = *access;
    rebuilt.parts = std::make_shared<const Value>(rebuild(*access->parts, leaves));
    return rebuilt;
  }
  const std::vector<Value> *elements = value.getTuple();
  if (!elements)
    return value;
  std::vector<Value> rebuilt;
  for (const Value &element : *elements)
    rebuilt.push_back(rebuild(element, leaves));
  return Value::tuple(std::move(rebuilt), value.getFields());
}

bool haveSameType(const Value &lhs, const Value &rhs) {
  if (const RuntimeValue *a = lhs.getRuntime()) {
    const RuntimeValue *b = rhs.getRuntime();
    return b && a->type == b->type;
  }
  if (const std::vector<Value> *a = lhs.getTuple()) {
    const std::vector<Value> *b = rhs.getTuple();
    return b && getAggregateClass(lhs) == getAggregateClass(rhs) &&
           std::equal(a->begin(), a->end(), b->begin(), b->end(), haveSameType);
  }
  if (const BlockAccessValue *a = lhs.getIf<BlockAccessValue>()) {
    const BlockAccessValue *b = rhs.getIf<BlockAccessValue>();
    return b && a->isSameType(*b) && haveSameType(*a->parts, *b->parts);
  }
  return isIdentical(lhs, rhs);
}

} // namespace tilec::irgen
