// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions with a combine function from the program. The function is called once with scalar
// block arguments; what it emits is the op's region.

#include "CombineFunction.h"

namespace tilec::irgen {
FailureOr<std::vector<Value>> getCombined(Generator &g, const BoundArg &input,
                                          llvm::StringRef verb) {
  std::vector<Value> operands =
      input.value.getTuple() ? *input.value.getTuple() : std::vector<Value>{input.value};
  if (operands.empty())
    return g.error(input.range, "nothing to " + verb);
  for (Value &operand : operands) {
    FailureOr<Value> runtime = g.toRuntime(operand, input.range);
    if (mlir::failed(runtime))
      return failure();
    operand = *runtime;
    if (operand.getRuntime()->type.element.isPointer())
      return g.error(input.range, "pointers cannot be " + verb + (verb == "scan" ? "ned" : "d"));
  }
  if (mlir::failed(g.unifyShapes(operands, input.range)))
    return failure();
  return operands;
}

LogicalResult emitCombine(Generator &g, mlir::Region &region, llvm::ArrayRef<DType> types,
                          const Value &function, SourceRange range) {
  mlir::OpBuilder &builder = g.getBuilder();
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Block *block = region.empty() ? &region.emplaceBlock() : &region.front();
  builder.setInsertionPointToEnd(block);
  std::vector<CallArg> args;
  for (int side = 0; side < 2; ++side)
    for (DType type : types) {
      mlir::Value argument = block->addArgument(g.lower(Type(type)), g.getLocation());
      args.push_back({"", Value::runtime(argument, Type(type)), range});
    }
  FailureOr<Value> result = g.call(function, args, range);
  if (mlir::failed(result))
    return failure();
  std::vector<Value> values;
  if (const std::vector<Value> *elements = result->getTuple())
    values = *elements;
  else
    values.push_back(*result);
  if (values.size() != types.size())
    return g.error(range, "the combine function must return " + llvm::Twine(types.size()) +
                              " values, got " + llvm::Twine(values.size()));
  llvm::SmallVector<mlir::Value> yielded;
  for (auto [value, type] : llvm::zip(values, types)) {
    if (value.isRuntime() && value.getRuntime()->type.isBlock())
      return g.error(range, "the combine function must return scalars, got " + value.describe());
    FailureOr<Value> scalar = g.cast(value, type, range);
    if (mlir::failed(scalar))
      return failure();
    yielded.push_back(scalar->getRuntime()->value);
  }
  g.create<tile::YieldOp>(yielded);
  return success();
}

namespace {

FailureOr<Value> genReduce(Generator &g, const BoundArgs &a) {
  enum { Input, Axis, Combine, KeepDims };
  bool isTuple = a[Input].value.getTuple();
  FailureOr<std::vector<Value>> combined = getCombined(g, a[Input], "reduce");
  if (mlir::failed(combined))
    return failure();
  std::vector<Value> operands = std::move(*combined);
  FailureOr<bool> keepDims = false;
  if (a.has(KeepDims))
    keepDims = g.toBool(a[KeepDims].value, a[KeepDims].range, "'keep_dims'");
  if (mlir::failed(keepDims))
    return failure();

  const Type source = operands.front().getRuntime()->type;
  int64_t rank = source.getRank(), axis = 0;
  if (rank == 0) // A scalar is its own reduction.
    return a[Input].value;
  bool all = !a.has(Axis);
  if (all) {
    for (Value &operand : operands) {
      FailureOr<Value> flat =
          g.reshape(operand, {source.getNumElements()}, /*allowReorder=*/true, a.range);
      if (mlir::failed(flat))
        return failure();
      operand = *flat;
    }
  } else {
    FailureOr<int64_t> normalized = g.toAxis(a[Axis].value, rank, a[Axis].range);
    if (mlir::failed(normalized))
      return failure();
    axis = *normalized;
  }

  llvm::SmallVector<mlir::Value> values;
  llvm::SmallVector<DType> types;
  for (const Value &operand : operands) {
    values.push_back(operand.getRuntime()->value);
    types.push_back(operand.getRuntime()->type.element);
  }
  auto reduce = g.create<tile::ReduceOp>(values, static_cast<int>(axis));
  if (mlir::failed(emitCombine(g, reduce.getCombine(), types, a[Combine].value, a.range)))
    return failure();
  Type reduced = operands.front().getRuntime()->type;
  reduced.shape.erase(reduced.shape.begin() + axis);
  if (std::optional<Value> addends = g.widenAddends(reduce.getCombine(), operands)) {
    auto exact = g.create<tile::ReduceOp>(addends->getRuntime()->value, static_cast<int>(axis));
    g.emitWideSum(exact.getCombine());
    g.assertExact(ast::BinaryOp::Add, Value::runtime(reduce->getResult(0), reduced),
                  Value::runtime(exact->getResult(0), reduced.withElement(ScalarKind::Int64)));
  }
  std::vector<Value> results;
  for (auto [result, type] : llvm::zip(reduce->getResults(), types)) {
    Value value = Value::runtime(result, reduced.withElement(type));
    for (int64_t i = 0; *keepDims && i < (all ? rank : 1); ++i)
      value = g.expandDims(value, all ? 0 : axis);
    results.push_back(value);
  }
  return isTuple ? Value::tuple(std::move(results)) : results.front();
}

/// Index along an axis as a block of the input's shape, for argmax and its like.
FailureOr<Value> genAxisIndex(Generator &g, const BoundArgs &a) {
  FailureOr<Value> input = g.toRuntime(a[0].value, a[0].range);
  if (mlir::failed(input))
    return failure();
  const Type source = input->getRuntime()->type;
  if (!source.isBlock())
    return Value::integer(0);
  int64_t axis = 0;
  Type whole = source;
  if (a.has(1)) {
    FailureOr<int64_t> normalized = g.toAxis(a[1].value, source.getRank(), a[1].range);
    if (mlir::failed(normalized))
      return failure();
    axis = *normalized;
  } else {
    whole.shape.assign(1, source.getNumElements());
  }
  Type line(ScalarKind::Int32, {whole.shape[axis]});
  mlir::OpBuilder &builder = g.getBuilder();
  Value index =
      g.emit<tile::MakeRangeOp>(line, g.lower(line), builder.getI32IntegerAttr(0),
                                builder.getI32IntegerAttr(static_cast<int32_t>(whole.shape[axis])));
  for (int64_t dim = 0; dim < whole.getRank(); ++dim)
    if (dim != axis)
      index = g.expandDims(index, dim);
  FailureOr<Value> full = g.broadcastTo(index, whole.shape, a.range);
  if (mlir::failed(full) || a.has(1))
    return full;
  return g.reshape(*full, source.shape, /*allowReorder=*/false, a.range);
}

constexpr Handler reduceHandlers[] = {
    {"reduce", inLanguage, genReduce},
    {"_axis_index", inLibrary, genAxisIndex},
};

} // namespace

llvm::ArrayRef<Handler> getReduceHandlers() { return reduceHandlers; }

} // namespace tilec::irgen
