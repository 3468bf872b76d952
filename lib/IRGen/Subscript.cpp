// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indexing: new axes and full slices on blocks, constant indices and slices on tuples and strings.

#include "Generator.h"

namespace tilec::irgen {

/// Resolves Python slice bounds on a sequence of `size` elements.
static std::vector<int64_t> getSliceIndices(std::optional<int64_t> lower,
                                            std::optional<int64_t> upper, int64_t step,
                                            int64_t size) {
  auto clamp = [&](int64_t index, int64_t low, int64_t high) {
    if (index < 0)
      index += size;
    return std::min(std::max(index, low), high);
  };
  std::vector<int64_t> indices;
  if (step > 0) {
    int64_t end = upper ? clamp(*upper, 0, size) : size;
    for (int64_t i = lower ? clamp(*lower, 0, size) : 0; i < end; i += std::min(step, size))
      indices.push_back(i);
    return indices;
  }
  int64_t end = upper ? clamp(*upper, -1, size - 1) : -1;
  for (int64_t i = lower ? clamp(*lower, -1, size - 1) : size - 1; i > end;
       i += std::max(step, -size))
    indices.push_back(i);
  return indices;
}

static FailureOr<bool> isNone(Generator &g, const ast::Expr *expr) {
  FailureOr<Value> value = g.evaluate(expr);
  if (mlir::failed(value))
    return failure();
  return value->isNone();
}

/// Whether a slice takes all of a dimension: its bounds are left out or None.
static FailureOr<bool> isFullSlice(Generator &g, const ast::Slice &slice) {
  for (const ast::Expr *bound : {slice.lower, slice.upper, slice.step}) {
    FailureOr<bool> isLeftOut = bound ? isNone(g, bound) : true;
    if (mlir::failed(isLeftOut) || !*isLeftOut)
      return isLeftOut;
  }
  return true;
}

static FailureOr<Value> subscriptBlock(Generator &g, const Value &value,
                                       const ast::Subscript &expr) {
  enum class Index { NewAxis, All, Rest };
  llvm::SmallVector<Index, 4> indices;
  for (const ast::Expr *index : expr.indices) {
    if (llvm::isa<ast::EllipsisLiteral>(index)) {
      indices.push_back(Index::Rest);
      continue;
    }
    // A name may stand for None.
    auto *slice = llvm::dyn_cast<ast::Slice>(index);
    FailureOr<bool> isPlain = slice ? isFullSlice(g, *slice) : isNone(g, index);
    if (mlir::failed(isPlain))
      return failure();
    if (!*isPlain)
      return g.error(index->range, "a block can only be indexed with ':' and None; use tl.load on "
                                   "pointers or reductions to select elements");
    indices.push_back(slice ? Index::All : Index::NewAxis);
  }
  int64_t rank = value.getRuntime()->type.getRank();
  int64_t taken = llvm::count(indices, Index::All);
  if (llvm::count(indices, Index::Rest) > 1)
    return g.error(expr.range, "a subscript can have only one '...'");
  // A scalar has no dimensions to take: `pid[:, None]` is a block of one element.
  if (taken > rank && rank != 0)
    return g.error(expr.range, "too many indices: a value of type " + value.describe() + " has " +
                                   llvm::Twine(rank) + " dimensions, got " + llvm::Twine(taken));
  Value result = value;
  int64_t axis = 0;
  for (Index index : indices) {
    if (index == Index::NewAxis)
      result = g.expandDims(result,
                            rank == 0 ? std::min(axis, result.getRuntime()->type.getRank()) : axis);
    axis += index == Index::Rest ? std::max<int64_t>(rank - taken, 0) : 1;
  }
  return result;
}

FailureOr<Value> Generator::subscript(const Value &base, const ast::Subscript &expr) {
  if (base.isRuntime() || base.isNumber()) {
    FailureOr<Value> value = toRuntime(base, expr.range);
    if (mlir::failed(value))
      return failure();
    return subscriptBlock(*this, *value, expr);
  }
  if (base.isAggregate())
    return subscriptObject(base, expr);

  if (expr.indices.size() != 1)
    return error(expr.range,
                 base.describe() + " needs one index, got " + llvm::Twine(expr.indices.size()));
  const ast::Expr *index = expr.indices.front();
  const std::vector<Value> *elements = base.getTuple();
  if (const DictValue *dict = base.getIf<DictValue>()) {
    FailureOr<Value> key = evaluate(index);
    if (mlir::failed(key))
      return failure();
    FailureOr<const Value *> found = findInDict(*dict, *key, index->range);
    if (mlir::failed(found))
      return failure();
    if (*found)
      return **found;
    const Constant *text = key->getConstant();
    return error(index->range, "no value for '" + (text ? text->str() : key->describe()) +
                                   "' is known at compile time");
  }
  // Characters are strings, too.
  std::vector<Value> characters;
  const Constant *constant = base.getConstant();
  bool isText = constant && constant->isString();
  if (isText) {
    characters = *enumerateIterable(base, expr.range);
    elements = &characters;
  }
  if (!elements)
    return error(expr.range, base.describe() + " cannot be indexed");

  int64_t size = static_cast<int64_t>(elements->size());
  if (auto *slice = llvm::dyn_cast<ast::Slice>(index)) {
    std::optional<int64_t> parts[3];
    const ast::Expr *exprs[] = {slice->lower, slice->upper, slice->step};
    for (int i = 0; i < 3; ++i) {
      if (!exprs[i])
        continue;
      FailureOr<Value> value = evaluate(exprs[i]);
      if (mlir::failed(value))
        return failure();
      if (value->isNone())
        continue;
      FailureOr<int64_t> number = toInteger(*value, exprs[i]->range, "the bound of a slice");
      if (mlir::failed(number))
        return failure();
      // Beyond the elements all bounds mean the same.
      parts[i] = std::min<int64_t>(std::max<int64_t>(*number, -(1 << 20)), 1 << 20);
    }
    if (parts[2] && *parts[2] == 0)
      return error(slice->step->range, "the step of a slice must not be zero");
    std::vector<Value> selected;
    if (size > 0)
      for (int64_t i : getSliceIndices(parts[0], parts[1], parts[2].value_or(1), size))
        selected.push_back((*elements)[i]);
    if (!isText)
      return makeTuple(std::move(selected), expr.range);
    std::string text;
    for (const Value &character : selected)
      text += character.getConstant()->getString();
    return Value(Constant(std::move(text)));
  }
  FailureOr<Value> indexValue = evaluate(index);
  if (mlir::failed(indexValue))
    return failure();
  FailureOr<int64_t> number = toInteger(*indexValue, index->range,
                                        isText ? "the index of a string" : "the index of a tuple");
  if (mlir::failed(number))
    return failure();
  if (*number < -size || *number >= size)
    return error(index->range, "index " + llvm::Twine(*number) + " is out of range for a " +
                                   (isText ? "string" : "tuple") + " of " + llvm::Twine(size));
  return (*elements)[*number < 0 ? *number + size : *number];
}

} // namespace tilec::irgen
