// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The grid, creation of blocks, loops' ranges, compile-time checks, printing and assertions.

#include "Generator.h"

namespace tilec::irgen {
namespace {

template <typename OpT> FailureOr<Value> genGridOp(Generator &g, const BoundArgs &a) {
  FailureOr<int64_t> axis = g.toInteger(a[0].value, a[0].range, "the grid axis");
  if (mlir::failed(axis))
    return failure();
  if (*axis < 0 || *axis > 2)
    return g.error(a[0].range, "the grid axis must be 0, 1 or 2, got " + llvm::Twine(*axis));
  Type type = ScalarKind::Int32;
  return g.emit<OpT>(type, g.lower(type),
                     g.getBuilder().getI32IntegerAttr(static_cast<int32_t>(*axis)));
}

FailureOr<Value> genArange(Generator &g, const BoundArgs &a) {
  FailureOr<int64_t> start = g.toInteger(a[0].value, a[0].range, "the start of tl.arange");
  FailureOr<int64_t> end = g.toInteger(a[1].value, a[1].range, "the end of tl.arange");
  if (mlir::failed(start) || mlir::failed(end))
    return failure();
  if (*end <= *start)
    return g.error(a.range, "tl.arange needs start < end, got " + llvm::Twine(*start) + " and " +
                                llvm::Twine(*end));
  if (*start < INT32_MIN || *end > INT32_MAX)
    return g.error(a.range, "the bounds of tl.arange do not fit in 32 bits");
  int64_t length = *end - *start;
  if (mlir::failed(g.checkShape({length}, a.range)))
    return failure();
  Type type(ScalarKind::Int32, {length});
  mlir::OpBuilder &builder = g.getBuilder();
  return g.emit<tile::MakeRangeOp>(type, g.lower(type),
                                   builder.getI32IntegerAttr(static_cast<int32_t>(*start)),
                                   builder.getI32IntegerAttr(static_cast<int32_t>(*end)));
}

FailureOr<Value> makeFilled(Generator &g, const BoundArg &shape, const Value &value,
                            SourceRange valueRange, DType type) {
  FailureOr<llvm::SmallVector<int64_t>> dims =
      g.toIntegers(shape.value, shape.range, "a block dimension");
  if (mlir::failed(dims) || mlir::failed(g.checkShape(*dims, shape.range)))
    return failure();
  if (value.isRuntime() && value.getRuntime()->type.isBlock())
    return g.error(valueRange, "the value must be a scalar, got " + value.describe());
  FailureOr<Value> scalar = g.cast(value, type, valueRange);
  if (mlir::failed(scalar))
    return failure();
  return g.splat(*scalar, *dims);
}

FailureOr<Value> genZeros(Generator &g, const BoundArgs &a) {
  FailureOr<DType> type = g.toDType(a[1].value, a[1].range, "the dtype");
  if (mlir::failed(type))
    return failure();
  return makeFilled(g, a[0], Value::integer(0), a.range, *type);
}

FailureOr<Value> genFull(Generator &g, const BoundArgs &a) {
  FailureOr<DType> type = g.toDType(a[2].value, a[2].range, "the dtype");
  if (mlir::failed(type))
    return failure();
  return makeFilled(g, a[0], a[1].value, a[1].range, *type);
}

FailureOr<Value> genToTensor(Generator &g, const BoundArgs &a) {
  return g.toRuntime(a[0].value, a[0].range);
}

FailureOr<Value> makeRange(Generator &g, const BoundArgs &a, bool isStatic) {
  std::vector<Value> bounds;
  if (a.has(1))
    bounds = {a[0].value, a[1].value};
  else
    bounds = {Value::integer(0), a[0].value};
  bounds.push_back(a.has(2) ? a[2].value : Value::integer(1));
  static constexpr llvm::StringRef names[] = {
      "num_stages", "loop_unroll_factor", "disallow_acc_multi_buffer",
      "flatten",    "warp_specialize",    "disable_licm"};
  KeyedValues options;
  for (size_t i = 3; i < a.args.size(); ++i) {
    if (!a.has(i))
      continue;
    if (!a[i].value.getConstant())
      return g.error(a[i].range, "'" + names[i - 3] + "' must be known at compile time, got " +
                                     a[i].value.describe());
    options.emplace_back(names[i - 3].str(), a[i].value);
  }
  unsigned depth = 0;
  for (const Value &bound : bounds)
    depth = std::max(depth, bound.getDepth());
  return Value(RangeValue{std::make_shared<const std::vector<Value>>(std::move(bounds)), isStatic,
                          std::make_shared<const KeyedValues>(std::move(options)), depth + 1});
}

FailureOr<Value> genRange(Generator &g, const BoundArgs &a) { return makeRange(g, a, false); }
FailureOr<Value> genStaticRange(Generator &g, const BoundArgs &a) { return makeRange(g, a, true); }

FailureOr<Value> genIdentity(Generator &g, const BoundArgs &a) { return a[0].value; }

FailureOr<Value> genConstexpr(Generator &g, const BoundArgs &a) {
  if (a[0].value.isRuntime())
    return g.error(a[0].range, "tl.constexpr needs a compile-time value, got a runtime value of "
                               "type " +
                                   a[0].value.describe());
  return a[0].value;
}

FailureOr<Value> genNotCallable(Generator &g, const BoundArgs &a) {
  return g.error(a.range, "'" + a.builtin->getDisplayName() + "' cannot be called in a kernel");
}

/// `tl.dtype("fp16")`, the names as in messages and signatures.
FailureOr<Value> genDType(Generator &g, const BoundArgs &a) {
  FailureOr<std::string> name = g.toString(a[0].value, a[0].range, "the name of a type");
  if (mlir::failed(name))
    return failure();
  std::optional<DType> type = findLanguageType(*name);
  if (!type)
    type = parseSignatureType(*name);
  if (!type)
    return g.errorUnknown(a[0].range, "no type is named '" + *name + "'", *name,
                          getLanguageTypeNames());
  return Value(Constant(*type));
}

FailureOr<Value> genIntDType(Generator &g, const BoundArgs &a) {
  FailureOr<int64_t> width = g.toInteger(a[0].value, a[0].range, "the width");
  FailureOr<bool> isSigned = g.toBool(a[1].value, a[1].range, "'signed'");
  if (mlir::failed(width) || mlir::failed(isSigned))
    return failure();
  if (*width == 1)
    return Value(Constant(DType(ScalarKind::Int1)));
  if (*width != 8 && *width != 16 && *width != 32 && *width != 64)
    return g.error(a[0].range, "no integer type has " + llvm::Twine(*width) + " bits");
  return Value(Constant(getIntType(static_cast<unsigned>(*width), *isSigned)));
}

FailureOr<Value> genLog2(Generator &g, const BoundArgs &a) {
  FailureOr<int64_t> number = g.toInteger(a[0].value, a[0].range, "the number");
  if (mlir::failed(number))
    return failure();
  if (*number < 1 || !llvm::isPowerOf2_64(static_cast<uint64_t>(*number)))
    return g.error(a[0].range, "expected a power of two, got " + llvm::Twine(*number));
  return Value::integer(llvm::Log2_64(static_cast<uint64_t>(*number)));
}

FailureOr<Value> genPointerType(Generator &g, const BoundArgs &a) {
  FailureOr<DType> element = g.toDType(a[0].value, a[0].range, "the element type");
  if (mlir::failed(element))
    return failure();
  if (element->isPointer() || element->isVoid())
    return g.error(a[0].range, "a pointer to " + element->str() + " is not supported");
  bool isConst = false;
  if (a.has(2)) {
    FailureOr<bool> flag = g.toBool(a[2].value, a[2].range, "'const'");
    if (mlir::failed(flag))
      return failure();
    isConst = *flag;
  }
  return Value(Constant(DType::pointerTo(element->getKind(), isConst)));
}

FailureOr<Value> genBlockType(Generator &g, const BoundArgs &a) {
  FailureOr<DType> element = g.toDType(a[0].value, a[0].range, "the element type");
  FailureOr<llvm::SmallVector<int64_t>> shape = g.toIntegers(a[1].value, a[1].range, "the shape");
  if (mlir::failed(element) || mlir::failed(shape) ||
      mlir::failed(g.checkShape(*shape, a[1].range)))
    return failure();
  return Value(BlockTypeValue{Type(*element, *shape)});
}

/// Text of compile-time values for messages: tuples and all.
std::string printValue(const Value &value) {
  if (const Constant *constant = value.getConstant())
    return constant->str();
  if (const std::vector<Value> *elements = value.getTuple()) {
    std::string text = "(";
    for (size_t i = 0; i < elements->size(); ++i)
      text += (i ? ", " : "") + printValue((*elements)[i]);
    return text + ")";
  }
  return value.describe();
}

FailureOr<Value> genStaticAssert(Generator &g, const BoundArgs &a) {
  FailureOr<bool> truth = g.toBool(a[0].value, a[0].range, "the condition of tl.static_assert");
  if (mlir::failed(truth))
    return failure();
  if (*truth)
    return Value::none();
  std::string message = a.has(1) ? ": " + printValue(a[1].value) : "";
  return g.error(a.range, "static assertion failed" + message);
}

FailureOr<Value> genStaticPrint(Generator &g, const BoundArgs &a) {
  std::string separator = " ";
  if (a.has(1) && !a[1].value.isNone()) {
    FailureOr<std::string> given = g.toString(a[1].value, a[1].range, "'sep'");
    if (mlir::failed(given))
      return failure();
    separator = *given;
  }
  std::string text;
  for (const BoundArg &arg : a.rest)
    text += (&arg == &a.rest.front() ? "" : separator) + printValue(arg.value);
  g.report(Severity::Remark, a.range, text).category = "static-print";
  return Value::none();
}

/// A prefix in front of values as Triton completes it: " PREFIX: ".
std::string completePrefix(std::string prefix) {
  llvm::StringRef words = llvm::StringRef(prefix).rtrim(' ');
  words.consume_back(":");
  if (words.empty())
    return ": ";
  return (words.starts_with(" ") ? "" : " ") + words.str() + ": ";
}

FailureOr<Value> genDevicePrint(Generator &g, const BoundArgs &a) {
  // `print(x)` of Python has no prefix.
  std::string prefix;
  std::vector<BoundArg> values(a.rest.begin(), a.rest.end());
  if (a.args[0].given) {
    const Constant *first = a[0].value.getConstant();
    if (first && first->isString())
      prefix = first->getString();
    else
      values.insert(values.begin(), a[0]);
  }
  bool hex = false;
  if (a.has(2)) {
    FailureOr<bool> flag = g.toBool(a[2].value, a[2].range, "'hex'");
    if (mlir::failed(flag))
      return failure();
    hex = *flag;
  }
  llvm::SmallVector<mlir::Value> operands;
  llvm::SmallVector<bool> isSigned;
  for (const BoundArg &arg : values) {
    const Constant *text = arg.value.getConstant();
    if (text && !text->isNumber()) {
      prefix += (prefix.empty() ? "" : " ") + text->str();
      continue;
    }
    FailureOr<Value> runtime = g.toRuntime(arg.value, arg.range);
    if (mlir::failed(runtime))
      return failure();
    operands.push_back(runtime->getRuntime()->value);
    isSigned.push_back(runtime->getRuntime()->type.element.isSignedInt());
  }
  mlir::OpBuilder &builder = g.getBuilder();
  if (!operands.empty())
    prefix = completePrefix(std::move(prefix));
  g.create<tile::PrintOp>(builder.getStringAttr(prefix),
                          hex ? builder.getUnitAttr() : mlir::UnitAttr(), operands,
                          builder.getDenseBoolArrayAttr(isSigned), mlir::ArrayAttr());
  return Value::none();
}

FailureOr<Value> genDeviceAssert(Generator &g, const BoundArgs &a) {
  std::string message = "assertion failed";
  if (a.has(1)) {
    FailureOr<std::string> text = g.toString(a[1].value, a[1].range, "the message");
    if (mlir::failed(text))
      return failure();
    message = *text;
  }
  FailureOr<Value> condition = g.cast(a[0].value, ScalarKind::Int1, a[0].range);
  if (mlir::failed(condition))
    return failure();
  if (a.has(2)) {
    // Where the mask is false the condition does not count.
    FailureOr<Value> unmasked = g.logicalNot(a[2].value, a[2].range);
    if (mlir::failed(unmasked))
      return failure();
    condition = g.logical(ast::BoolOpKind::Or, *condition, *unmasked, a.range);
    if (mlir::failed(condition))
      return failure();
  }
  if (g.getOptions().debug)
    g.create<tile::AssertOp>(condition->getRuntime()->value, g.getBuilder().getStringAttr(message));
  return Value::none();
}

FailureOr<Value> genBarrier(Generator &g, const BoundArgs &a) {
  g.create<tile::BarrierOp>();
  return Value::none();
}

FailureOr<Value> genConfig(Generator &g, const BoundArgs &a) {
  const DictValue *dict = a[0].value.getIf<DictValue>();
  if (!dict)
    return g.error(a[0].range, "triton.Config needs a dict of constants");
  KeyedValues entries = *dict->entries;
  static constexpr std::pair<unsigned, llvm::StringLiteral> options[] = {
      {1, "num_warps"}, {2, "num_stages"}, {3, "num_ctas"}, {4, "maxnreg"}, {7, "split_k"}};
  for (const auto &[index, name] : options)
    if (a.has(index))
      entries.emplace_back(name.str(), a[index].value);
  return Value::dict(std::move(entries));
}

FailureOr<Value> genNextPowerOf2(Generator &g, const BoundArgs &a) {
  FailureOr<int64_t> number = g.toInteger(a[0].value, a[0].range, "the number");
  if (mlir::failed(number))
    return failure();
  if (*number > (int64_t(1) << 62))
    return g.error(a[0].range, "the next power of two does not fit in 64 bits");
  if (*number <= 1)
    return Value::integer(*number == 1 ? 1 : 0);
  return Value::integer(static_cast<int64_t>(llvm::PowerOf2Ceil(static_cast<uint64_t>(*number))));
}

FailureOr<Value> genNumWarps(Generator &g, const BoundArgs &) {
  return Value::integer(g.getNumWarps());
}

FailureOr<Value> genNumThreads(Generator &g, const BoundArgs &) {
  return Value::integer(32 * g.getNumWarps());
}

constexpr Handler programHandlers[] = {
    {"num_warps", inExtra, genNumWarps},
    {"num_threads", inExtra, genNumThreads},
    {"program_id", inLanguage, genGridOp<tile::ProgramIdOp>},
    {"num_programs", inLanguage, genGridOp<tile::NumProgramsOp>},
    {"arange", inLanguage, genArange},
    {"zeros", inLanguage, genZeros},
    {"full", inLanguage, genFull},
    {"to_tensor", inLanguage, genToTensor},
    {"range", inLanguage, genRange},
    {"static_range", inLanguage, genStaticRange},
    {"condition", inLanguage, genIdentity},
    {"constexpr", inLanguage, genConstexpr},
    {"tensor", inLanguage, genNotCallable},
    {"tensor_descriptor", inLanguage, genNotCallable},
    {"tensor_descriptor_base", inLanguage, genNotCallable},
    {"dtype", inLanguage, genDType},
    {"get_int_dtype", inLanguage, genIntDType},
    {"_log2", inLanguage, genLog2},
    {"pointer_type", inLanguage, genPointerType},
    {"block_type", inLanguage, genBlockType},
    {"static_assert", inLanguage, genStaticAssert},
    {"static_print", inLanguage, genStaticPrint},
    {"device_print", inLanguage, genDevicePrint},
    {"device_assert", inLanguage, genDeviceAssert},
    {"debug_barrier", inLanguage, genBarrier},
    {"Config", inTriton, genConfig},
    {"next_power_of_2", inLanguage, genNextPowerOf2},
};

} // namespace

llvm::ArrayRef<Handler> getProgramHandlers() { return programHandlers; }

} // namespace tilec::irgen
