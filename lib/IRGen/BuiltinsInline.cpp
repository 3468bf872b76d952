// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions and instructions of a kernel's own for every element, and what only NVIDIA's machines
// have.

#include "Generator.h"

namespace tilec::irgen {
namespace {

/// Runtime values of one shape, from a tuple or a single value.
FailureOr<std::vector<Value>> getOperands(Generator &g, llvm::ArrayRef<Value> given,
                                          SourceRange range) {
  std::vector<Value> operands;
  for (const Value &value : given) {
    FailureOr<Value> operand = g.toRuntime(value, range);
    if (mlir::failed(operand))
      return failure();
    operands.push_back(*operand);
  }
  if (mlir::failed(g.unifyShapes(operands, range)))
    return failure();
  return operands;
}

FailureOr<int32_t> getPack(Generator &g, const BoundArgs &a, unsigned index) {
  if (!a.has(index))
    return 1;
  FailureOr<int64_t> pack = g.toInteger(a[index].value, a[index].range, "'pack'");
  if (mlir::failed(pack))
    return failure();
  if (*pack < 1 || *pack > 1024)
    return g.error(a[index].range, "'pack' must be from 1 to 1024, got " + llvm::Twine(*pack));
  return static_cast<int32_t>(*pack);
}

Value makeResults(mlir::Operation *op, llvm::ArrayRef<Type> types, bool isTuple) {
  std::vector<Value> results;
  for (auto [result, type] : llvm::zip(op->getResults(), types))
    results.push_back(Value::runtime(result, type));
  return isTuple ? Value::tuple(std::move(results)) : results.front();
}

FailureOr<Value> genInlineAsm(Generator &g, const BoundArgs &a) {
  enum { Assembly, Constraints, Args, OutType, IsPure, Pack };
  FailureOr<std::string> assembly = g.toString(a[Assembly].value, a[Assembly].range, "the text");
  FailureOr<std::string> constraints =
      g.toString(a[Constraints].value, a[Constraints].range, "the constraints");
  const std::vector<Value> *list = a[Args].value.getTuple();
  FailureOr<std::vector<Value>> operands = getOperands(
      g, list ? llvm::ArrayRef<Value>(*list) : llvm::ArrayRef<Value>(a[Args].value), a[Args].range);
  FailureOr<bool> isPure = g.toBool(a[IsPure].value, a[IsPure].range, "'is_pure'");
  FailureOr<int32_t> pack = getPack(g, a, Pack);
  if (mlir::failed(assembly) || mlir::failed(constraints) || mlir::failed(operands) ||
      mlir::failed(isPure) || mlir::failed(pack))
    return failure();
  const std::vector<Value> *names = a[OutType].value.getTuple();
  llvm::SmallVector<int64_t, 4> shape;
  if (!operands->empty())
    shape = operands->front().getRuntime()->type.shape;
  llvm::SmallVector<Type> types;
  llvm::SmallVector<mlir::Type> lowered;
  for (const Value &name :
       names ? llvm::ArrayRef<Value>(*names) : llvm::ArrayRef<Value>(a[OutType].value)) {
    FailureOr<DType> type = g.toDType(name, a[OutType].range, "the type of a result");
    if (mlir::failed(type))
      return failure();
    types.push_back(Type(*type, shape));
    lowered.push_back(g.lower(types.back()));
  }
  if (types.empty())
    return g.error(a[OutType].range, "'" + a.builtin->getDisplayName() + "' needs a result");
  llvm::SmallVector<mlir::Value> values;
  for (const Value &operand : *operands)
    values.push_back(operand.getRuntime()->value);
  auto op = g.create<tile::InlineAsmOp>(lowered, *assembly, *constraints,
                                        static_cast<uint32_t>(*pack), *isPure, values);
  return makeResults(op, types, names != nullptr);
}

/// The function is called once, with scalars; what it emits is the op's region.
FailureOr<Value> genMapElementwise(Generator &g, const BoundArgs &a) {
  enum { Function, Args, Pack };
  std::vector<Value> given;
  for (const BoundArg &arg : a.rest)
    given.push_back(arg.value);
  FailureOr<std::vector<Value>> operands = getOperands(g, given, a.range);
  FailureOr<int32_t> pack = getPack(g, a, Pack);
  if (mlir::failed(operands) || mlir::failed(pack))
    return failure();
  if (operands->empty())
    return g.error(a.range, "'tl.map_elementwise' needs an operand");
  // The region is made first: what it yields says what the results are.
  mlir::OpBuilder &builder = g.getBuilder();
  DetachedBlock block;
  llvm::SmallVector<Type> types;
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(block.get());
    std::vector<CallArg> args;
    for (const Value &operand : *operands)
      for (int32_t i = 0; i < *pack; ++i) {
        Type type(operand.getRuntime()->type.element);
        mlir::Value argument = block.get()->addArgument(g.lower(type), g.getLocation());
        args.push_back({"", Value::runtime(argument, type), a.range});
      }
    FailureOr<Value> result = g.call(a[Function].value, args, a.range);
    if (mlir::failed(result))
      return failure();
    std::vector<Value> values{*result};
    if (const std::vector<Value> *elements = result->getTuple())
      values = *elements;
    if (values.empty() || values.size() % static_cast<size_t>(*pack) != 0)
      return g.error(a.range, "the function must return " + llvm::Twine(*pack) +
                                  " values for each result, got " + llvm::Twine(values.size()));
    llvm::SmallVector<mlir::Value> yielded;
    for (auto [i, value] : llvm::enumerate(values)) {
      if (value.isRuntime() && value.getRuntime()->type.isBlock())
        return g.error(a.range, "the function must return scalars, got " + value.describe());
      FailureOr<Value> scalar = g.toRuntime(value, a.range);
      // The elements of one result have one type.
      if (mlir::succeeded(scalar) && i % *pack != 0)
        scalar = g.cast(*scalar, types.back().element, a.range);
      if (mlir::failed(scalar))
        return failure();
      if (i % *pack == 0)
        types.push_back(
            Type(scalar->getRuntime()->type.element, operands->front().getRuntime()->type.shape));
      yielded.push_back(scalar->getRuntime()->value);
    }
    g.create<tile::YieldOp>(yielded);
  }
  llvm::SmallVector<mlir::Value> values;
  for (const Value &operand : *operands)
    values.push_back(operand.getRuntime()->value);
  llvm::SmallVector<mlir::Type> lowered;
  for (const Type &type : types)
    lowered.push_back(g.lower(type));
  auto op = g.create<tile::MapOp>(lowered, values, static_cast<uint32_t>(*pack));
  block.moveTo(op.getBody());
  return makeResults(op, types, types.size() > 1);
}

template <typename OpT> FailureOr<Value> genDependency(Generator &g, const BoundArgs &a) {
  g.create<OpT>();
  return Value::none();
}

template <typename OpT, ScalarKind kind>
FailureOr<Value> genRegister(Generator &g, const BoundArgs &a) {
  return g.emit<OpT>(Type(kind), g.lower(Type(kind)));
}

constexpr Handler inlineHandlers[] = {
    {"inline_asm_elementwise", inLanguage, genInlineAsm},
    {"map_elementwise", inLanguage, genMapElementwise},
    {"gdc_wait", inExtra, genDependency<tile::GridDependencyWaitOp>},
    {"gdc_launch_dependents", inExtra, genDependency<tile::GridDependencyLaunchOp>},
    {"globaltimer", inExtra, genRegister<tile::GlobalTimerOp, ScalarKind::Int64>},
    {"smid", inExtra, genRegister<tile::ProcessorIdOp, ScalarKind::Int32>},
};

} // namespace

llvm::ArrayRef<Handler> getInlineHandlers() { return inlineHandlers; }

} // namespace tilec::irgen
