// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an expression evaluates to while a kernel is being specialised: compile-time constants,
// values of the emitted program with their language types, and the things that only exist in the
// front end (tuples, functions, modules, ranges).

#ifndef TILEC_LIB_IRGEN_VALUE_H
#define TILEC_LIB_IRGEN_VALUE_H

#include "tilec/Sema/Constant.h"
#include "tilec/Sema/ModuleScope.h"

#include "mlir/IR/Value.h"

#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace tilec {
struct LanguageFunction;
}

namespace tilec::irgen {

class SourceModule;
class Value;

/// Type of a value of the emitted program: a scalar, or a block when there is a shape.
struct Type {
  DType element;
  llvm::SmallVector<int64_t, 4> shape;

  Type() = default;
  Type(DType scalar) : element(scalar) {}
  Type(ScalarKind scalar) : element(scalar) {}
  Type(DType scalar, llvm::ArrayRef<int64_t> dims) : element(scalar), shape(dims) {}

  bool isBlock() const { return !shape.empty(); }
  int64_t getRank() const { return static_cast<int64_t>(shape.size()); }
  int64_t getNumElements() const;
  Type withElement(DType scalar) const { return {scalar, shape}; }
  /// "fp32" or "fp32[16, 32]".
  std::string str() const;

  bool operator==(const Type &other) const {
    return element == other.element && shape == other.shape;
  }
  bool operator!=(const Type &other) const { return !(*this == other); }
};

/// "[16, 32]".
std::string printShape(llvm::ArrayRef<int64_t> shape);

/// A value of the emitted program.
struct RuntimeValue {
  mlir::Value value;
  Type type;
};

/// The fields of a named tuple or an aggregate.
struct TupleFields {
  std::vector<std::string> names;
  /// The class of an aggregate, which has methods and fixed kinds of fields; null for a named
  /// tuple.
  const ast::ClassDef *aggregate = nullptr;
  /// The class of a named tuple; null where there is no class statement.
  const ast::ClassDef *tupleClass = nullptr;
  const SourceModule *module = nullptr;
  /// Of the class that an aggregate's class extends, or null.
  std::shared_ptr<const TupleFields> base = nullptr;
};
using FieldsPtr = std::shared_ptr<const TupleFields>;

/// A tuple or list.
struct TupleValue {
  /// More elements than this, nested ones included, are an error in the program.
  static constexpr size_t sizeLimit = 65536;

  std::shared_ptr<const std::vector<Value>> elements;
  /// Number of elements, those of nested tuples included.
  size_t totalSize = 0;
  /// What the elements of a named tuple or aggregate are called; otherwise null.
  FieldsPtr fields = nullptr;
  /// See Value::getDepth.
  unsigned depth = 1;
};

using KeyedValues = std::vector<std::pair<std::string, Value>>;

/// A dict of compile-time values, in the order of the source. Keys are texts as
/// Evaluation::toDictKey makes them, which strings are themselves.
struct DictValue {
  std::shared_ptr<const KeyedValues> entries;
  /// See Value::getDepth.
  unsigned depth = 1;
  /// The keys as values; null where all are strings.
  std::shared_ptr<const std::vector<Value>> keys = nullptr;
};

/// A set of compile-time values, each with the text that it has as the key of a dict, in the order
/// in which they came.
struct SetValue {
  std::shared_ptr<const KeyedValues> entries;
  /// See Value::getDepth.
  unsigned depth = 1;
};

/// A jit or constexpr function, or a method of the language library when `self` is set.
struct FunctionValue {
  const ast::FunctionDef *function = nullptr;
  const SourceModule *module = nullptr;
  std::shared_ptr<const Value> self = nullptr;
  /// The activation whose variables are visible in it, for a function inside of a function; or 0.
  uint64_t definedIn = 0;
  /// What its parameters are by default, evaluated where it is defined.
  std::shared_ptr<const KeyedValues> defaults = nullptr;
  /// See Value::getDepth.
  unsigned depth = 0;
};

/// A class: its attributes, and the fields of a named tuple or aggregate.
struct ClassValue {
  /// Null for one that `namedtuple(...)` makes.
  const ast::ClassDef *classDef = nullptr;
  const SourceModule *module = nullptr;
  std::string name;
  /// Null when it cannot be called.
  FieldsPtr fields = nullptr;
};

struct LambdaValue {
  const ast::Lambda *lambda = nullptr;
  const SourceModule *module = nullptr;
};

/// An operation implemented in C++; a bound method when `self` is set.
struct BuiltinValue {
  const LanguageFunction *builtin = nullptr;
  std::shared_ptr<const Value> self = nullptr;
};

/// What `type(x)` gives: a class of Python or of the language by its name ("int", "tensor"); those
/// of classes in files are ClassValues.
struct TypeNameValue {
  std::string name;
  /// The type of a compile-time value, which is a `tl.constexpr` as well.
  bool isConstexpr = false;
};

/// `functools.partial(callee, ...)`: a call that lacks arguments.
struct PartialValue {
  std::shared_ptr<const Value> callee;
  /// Positional ones with an empty text, then those by keyword.
  std::shared_ptr<const KeyedValues> args;
  /// See Value::getDepth.
  unsigned depth = 1;
};

/// A module: one of the language by its canonical path ("triton.language.math"), a file, a folder
/// of modules, or one that only the host has ("torch.cuda"), of which a few facts are known.
struct ModuleValue {
  std::string path;
  /// The file, when it is one.
  const SourceModule *source = nullptr;
  /// Where submodules are, of a file or folder.
  std::string folder = {};
};

/// The type of a block as a compile-time value (`x.type`); scalar types are Constants.
struct BlockTypeValue {
  Type type;
};

/// A tensor in global memory that is accessed block by block: a tensor descriptor or a block
/// pointer.
struct BlockAccessValue {
  enum class Kind { Descriptor, BlockPointer };

  Kind kind = Kind::Descriptor;
  /// Element type and shape of a block.
  Type block;
  bool isConst = false;
  /// A tuple: the descriptor or base pointer, sizes, strides, and of a block pointer the offsets,
  /// of a descriptor the base pointer.
  std::shared_ptr<const Value> parts;

  bool isSameType(const BlockAccessValue &other) const {
    return kind == other.kind && block == other.block && isConst == other.isConst;
  }
};

/// `range(...)`, `tl.range(...)` or `tl.static_range(...)`.
struct RangeValue {
  /// Lower bound, upper bound, step.
  std::shared_ptr<const std::vector<Value>> bounds;
  bool isStatic = false;
  /// Loop attributes from keywords, by name ("num_stages", ...).
  std::shared_ptr<const KeyedValues> options = nullptr;
  /// See Value::getDepth.
  unsigned depth = 1;
};

/// A name without a usable value. With a message, using it is an error that says so; without one
/// the reason has been reported already.
struct PoisonValue {
  std::string message;
};

/// Any of the above.
class Value {
public:
  using Storage =
      std::variant<PoisonValue, Constant, RuntimeValue, TupleValue, DictValue, SetValue,
                   FunctionValue, ClassValue, LambdaValue, BuiltinValue, PartialValue,
                   TypeNameValue, ModuleValue, BlockTypeValue, BlockAccessValue, RangeValue>;

  Value() : storage(PoisonValue{}) {}
  template <typename T, typename = std::enable_if_t<std::is_constructible_v<Storage, T>>>
  Value(T item) : storage(std::move(item)) {}

  static Value none() { return Constant(); }
  static Value integer(int64_t number) { return Constant::integer(number); }
  static Value boolean(bool truth) { return Constant(truth); }
  /// With `fields` a named tuple or an aggregate.
  static Value tuple(std::vector<Value> elements, FieldsPtr fields = nullptr);
  /// With `keys` where some are no strings.
  static Value dict(KeyedValues entries, std::vector<Value> keys = {});
  static Value set(KeyedValues entries);
  static Value runtime(mlir::Value value, Type type) {
    return RuntimeValue{value, std::move(type)};
  }
  static Value poison(std::string message = "") { return PoisonValue{std::move(message)}; }

  template <typename T> const T *getIf() const { return std::get_if<T>(&storage); }

  bool isPoison() const { return getIf<PoisonValue>(); }
  const Constant *getConstant() const { return getIf<Constant>(); }
  const RuntimeValue *getRuntime() const { return getIf<RuntimeValue>(); }
  bool isNone() const { return getConstant() && getConstant()->isNone(); }
  bool isRuntime() const { return getRuntime(); }
  /// Whether it is known at compile time and true.
  bool isKnownTrue() const { return getConstant() && getConstant()->isTrue(); }
  /// A compile-time bool, int or float.
  bool isNumber() const { return getConstant() && getConstant()->isNumber(); }
  /// Numbers and program values are operands of arithmetic.
  bool isOperand() const { return isRuntime() || isNumber(); }
  /// The elements of a tuple, or null.
  const std::vector<Value> *getTuple() const;
  /// The fields of a named tuple or aggregate, or null.
  FieldsPtr getFields() const;
  bool isAggregate() const;
  /// How many values that hold others are inside of each other, at most `depthLimit` in what an
  /// expression may give: what looks at all of a value recurses.
  unsigned getDepth() const;
  static constexpr unsigned depthLimit = 256;

  /// For messages: "fp32[16]", "int 5", "a tuple of 2", "the function 'f'", ...
  std::string describe() const;

private:
  Storage storage;
};

/// "; cast WHAT with .to(tl.float32)" where two values differ in their element type alone, with the
/// name of the one whose type holds less; otherwise nothing.
std::string suggestCast(const Value &first, llvm::StringRef firstName, const Value &second,
                        llvm::StringRef secondName);
/// "tl.float32"; empty for pointers.
std::string getLanguageName(DType type);

/// `tl.constexpr_type(value)`, the type of what is known at compile time.
Value makeConstexprType(const Value &value);
/// What `type` is the constexpr_type of; null for any other value.
const Value *getTypedConstant(const Value &type);

/// Same constants, same program values, same functions, element by element.
bool isIdentical(const Value &lhs, const Value &rhs);

/// Program values inside a value, tuples searched in order.
void flatten(const Value &value, llvm::SmallVectorImpl<mlir::Value> &leaves);

/// Whether there are program values anywhere inside a value: also in what a method is bound to, and
/// in the bounds of a range.
bool hasProgramValues(const Value &value);

/// `value` with its program values replaced by `leaves`, taken from the front.
Value rebuild(const Value &value, llvm::ArrayRef<mlir::Value> &leaves);

/// Whether two values have the same structure and the same type at every program value, and
/// identical other parts.
bool haveSameType(const Value &lhs, const Value &rhs);

} // namespace tilec::irgen

#endif // TILEC_LIB_IRGEN_VALUE_H
