// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hints to the compiler: facts about values, and assumptions.

#include "Generator.h"

namespace tilec::irgen {
namespace {

/// Notes a fact on what defines the value: an op, a loop that changes the variable, or the kernel.
/// Only done where the hint is reached whenever the definition is, since the fact then holds
/// everywhere; elsewhere a hint is dropped, which is always right.
FailureOr<Value> genHint(Generator &g, const BoundArgs &a, llvm::StringRef attribute) {
  FailureOr<llvm::SmallVector<int64_t>> values = g.toIntegers(a[1].value, a[1].range, "the hint");
  if (mlir::failed(values))
    return failure();
  const RuntimeValue *input = a[0].value.getRuntime();
  if (!input) {
    if (a[0].value.isNumber())
      return a[0].value;
    return g.error(a[0].range, "expected a tensor, got " + a[0].value.describe());
  }
  size_t rank = std::max<size_t>(1, input->type.shape.size());
  if (values->size() != rank)
    return g.error(a[1].range, "the hint needs one number for each of the " + llvm::Twine(rank) +
                                   " dimensions, got " + llvm::Twine(values->size()));
  llvm::SmallVector<int32_t> numbers;
  for (int64_t value : *values) {
    if (value < 1 || value > INT32_MAX)
      return g.error(a[1].range,
                     "a hint must be a positive 32-bit number, got " + llvm::Twine(value));
    numbers.push_back(static_cast<int32_t>(value));
  }
  mlir::Block *block = g.getBuilder().getBlock();
  if (mlir::Operation *definition = input->value.getDefiningOp()) {
    if (definition->getBlock() == block && definition->getNumResults() == 1)
      addHint(definition, attribute, numbers);
    return a[0].value;
  }
  auto argument = llvm::cast<mlir::BlockArgument>(input->value);
  mlir::Block *owner = argument.getOwner();
  if (owner != block)
    return a[0].value;
  auto function = llvm::dyn_cast_or_null<mlir::func::FuncOp>(owner->getParentOp());
  if (!function) {
    g.getLoopHints().add(argument, attribute, numbers);
    return a[0].value;
  }
  // A kernel's own argument takes a divisibility.
  if (attribute == tile::TileDialect::kDivisibilityAttr) {
    auto previous =
        function.getArgAttrOfType<mlir::IntegerAttr>(argument.getArgNumber(), attribute);
    int32_t number = numbers.front();
    if (previous)
      number = std::max<int32_t>(number, static_cast<int32_t>(previous.getInt()));
    function.setArgAttr(argument.getArgNumber(), attribute,
                        g.getBuilder().getI32IntegerAttr(number));
  }
  return a[0].value;
}

FailureOr<Value> genMultipleOf(Generator &g, const BoundArgs &a) {
  return genHint(g, a, tile::TileDialect::kDivisibilityAttr);
}

FailureOr<Value> genMaxContiguous(Generator &g, const BoundArgs &a) {
  return genHint(g, a, tile::TileDialect::kContiguityAttr);
}

FailureOr<Value> genMaxConstancy(Generator &g, const BoundArgs &a) {
  return genHint(g, a, tile::TileDialect::kConstancyAttr);
}

FailureOr<Value> genAssume(Generator &g, const BoundArgs &a) {
  if (!a[0].value.isRuntime()) {
    FailureOr<bool> truth = g.toBool(a[0].value, a[0].range, "the condition");
    if (mlir::failed(truth))
      return failure();
    if (!*truth)
      return g.error(a[0].range, "the assumption is false");
    return Value::none();
  }
  FailureOr<Value> condition = g.cast(a[0].value, ScalarKind::Int1, a[0].range);
  if (mlir::failed(condition))
    return failure();
  if (condition->getRuntime()->type.isBlock())
    return g.error(a[0].range,
                   "'tl.assume' needs a scalar condition, got " + a[0].value.describe());
  g.create<tile::AssumeOp>(condition->getRuntime()->value);
  return Value::none();
}

constexpr Handler hintHandlers[] = {
    {"multiple_of", inLanguage, genMultipleOf},
    {"max_contiguous", inLanguage, genMaxContiguous},
    {"max_constancy", inLanguage, genMaxConstancy},
    {"assume", inLanguage, genAssume},
};

} // namespace

llvm::ArrayRef<Handler> getHintHandlers() { return hintHandlers; }

} // namespace tilec::irgen
